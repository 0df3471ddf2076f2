import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../../cli/plan";
import { repositoryRoot } from "../../../names/repository-root";
import { runPiped } from "../../cli/run";
import { answers } from "../../fixtures/review-2026-11-26/answers.json";

const folder = join(repositoryRoot(), "test", "fixtures", "review-2026-11-26");
const table: Readonly<Record<string, { readonly status: number; readonly refused: readonly string[] }>> = answers;

/** Paths of the file that are wrong, or rules that forbid the plan, with their subjects: each once, in the order of the answer. */
function refusedBy({
  status,
  out,
  err,
}: {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}): string[] {
  const told =
    status === 2
      ? [...err.matchAll(/^ {2}\d+\. (\S+)/gm)].map(([, path = ""]) => path)
      : [...out.matchAll(/^✗ (\S+) (\S+)/gm)].map(([, rule, subject]) => `${rule} ${subject}`);
  return [...new Set(told)];
}

describe("environment files of the review of 2026-11-26", () => {
  it.each(Object.entries(table))("%s is answered as the review found right", async (file, answer) => {
    const answered = await runPiped(main, ["x", "--config", join(folder, file)]);
    expect({ status: answered.status, refused: refusedBy(answered) }).toEqual(answer);
    expect(answered.err).not.toMatch(/\n\s+at /);
  });

  it("are all in the table", () => {
    const files = ["files", "user"].flatMap((each) => readdirSync(join(folder, each)).map((name) => `${each}/${name}`));
    expect(Object.keys(table).sort()).toEqual(files.sort());
  });
});
