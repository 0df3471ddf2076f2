import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../../names/repository-root";
import type { DeploymentPlan } from "../../planner/types";
import { parseEnvironmentFile } from "../../stacks/config";
import { planEnvironment } from "../../stacks/program";
import { refusalsOf } from "../stacks/planned";
import { sharedRun } from "../stacks/run";
import { environmentText, type Sections } from "../stacks/texts";
import { HELD } from "./bug-reports/held";
import { REFUSED } from "./bug-reports/refused";
import { RENDERED, RENDERED_ENVIRONMENT } from "./bug-reports/rendered";
import type { Proof, Told } from "./bug-reports/report";

const REPORTS = [...REFUSED, ...RENDERED, ...HELD];

interface Answer {
  /** Undefined where the file itself is wrong. */
  readonly plan?: DeploymentPlan;
  readonly refused: readonly Problem[];
  readonly advised: readonly Problem[];
}

interface Problem {
  readonly path: string;
  readonly rule: string | undefined;
  readonly message: string;
}

/** What a plan of an environment says. */
async function answerTo(sections: Sections): Promise<Answer> {
  const file = parseEnvironmentFile(environmentText(sections));
  if (!file.ok) {
    const refused = file.problems.map(({ path, message }) => ({ path, rule: undefined, message }));
    return { refused, advised: [] };
  }
  const plan = await planEnvironment("test", { environment: file.environment, secrets: {} }, repositoryRoot());
  const all = plan.problems.map(({ subject, rule, message }) => ({ path: subject, rule, message }));
  const forbidding = new Set(refusalsOf(plan).map(({ message }) => message));
  return {
    plan,
    refused: all.filter(({ message }) => forbidding.has(message)),
    advised: all.filter(({ message }) => !forbidding.has(message)),
  };
}

const placeOf = ({ path, rule }: Told | Problem) => (rule === undefined ? path : `${rule} ${path}`);

/** All that is to be told is told, at its place. */
function expectTold(problems: readonly Problem[], all: readonly Told[]): void {
  for (const told of all) {
    const messages = problems.filter((each) => placeOf(each) === placeOf(told)).map(({ message }) => message);
    expect(messages, placeOf(told)).toHaveLength(1);
    for (const words of told.says ?? []) {
      expect(messages[0]).toMatch(words);
    }
  }
}

async function expectProof(proof: Proof): Promise<void> {
  if ("heldBy" in proof) {
    const file = join(repositoryRoot(), proof.heldBy);
    expect(existsSync(file), proof.heldBy).toBe(true);
    // A call's first argument: no comment, no string elsewhere.
    expect(readFileSync(file, "utf8")).toContain(`("${proof.titled}", `);
    return;
  }
  if ("asked" in proof) {
    expect(proof.asked()).toEqual(proof.is);
    return;
  }
  if ("rendered" in proof) {
    expect(proof.rendered((await sharedRun("dev", RENDERED_ENVIRONMENT)).deployment)).toEqual(proof.is);
    return;
  }
  const { plan, refused, advised } = await answerTo(proof.environment);
  const wanted = "refused" in proof ? proof.refused : [];
  expect(refused.map(placeOf), refused.map(({ message }) => message).join("\n")).toEqual(wanted.map(placeOf));
  expectTold(refused, wanted);
  if ("advised" in proof) {
    expectTold(advised, proof.advised);
    expect(advised.map(({ rule }) => rule).filter((rule) => proof.notAdvised?.includes(rule ?? ""))).toEqual([]);
  }
  if ("planned" in proof) {
    expect(plan && proof.planned(plan)).toEqual(proof.is);
  }
}

describe("public bug reports of the review of 2026-11-26", () => {
  it.each(REPORTS)("$reports: $failure", async ({ proofs }) => {
    expect(proofs.length).toBeGreaterThan(0);
    for (const proof of proofs) {
      await expectProof(proof);
    }
  });

  it("are all in the table, each once", () => {
    // 33 of the review, and the cards that it met besides.
    expect(REPORTS).toHaveLength(34);
    expect(new Set(REPORTS.map(({ reports }) => reports)).size).toBe(REPORTS.length);
  });
});
