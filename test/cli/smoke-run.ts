import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll } from "vitest";
import { main } from "../../cli/smoke";
import { type CommandResult, runPiped, useFolder } from "./run";

interface Step {
  readonly name: string;
  readonly status: string;
  readonly detail: string;
  readonly failure?: { readonly expected: string; readonly got: string; readonly lookAt: string };
  readonly figures?: Readonly<Record<string, unknown>>;
}

/** What `--json` prints, as far as tests look at it. */
interface Report {
  readonly passed: boolean;
  readonly notes: readonly string[];
  readonly steps: readonly Step[];
}

/** `npm run smoke -- …argv`, as a person runs it. */
export function smoke(...argv: string[]): Promise<CommandResult> {
  return runPiped(main, argv);
}

/** The same with `--json`. */
export async function smokeReport(...argv: string[]): Promise<CommandResult & Report> {
  const result = await smoke(...argv, "--json");
  return { ...result, ...(JSON.parse(result.out) as Report) };
}

/** Runs the check on the model that all fake servers have. */
export function steps(...argv: string[]): Promise<CommandResult & Report> {
  return smokeReport(...argv, "--model", "chat:latest");
}

/** Path of a file with the token that fake control APIs accept. */
export function operatorToken(): string {
  const file = join(useFolder(), "token");
  beforeAll(() => writeFileSync(file, "operator\n"));
  return file;
}

/** `health passed`, one line per step. */
export function statuses({ steps }: Pick<Report, "steps">): string[] {
  return steps.map(({ name, status }) => `${name} ${status}`);
}

/** What each step that failed expected, got and points to. */
export function failures({ steps }: Pick<Report, "steps">): Readonly<Record<string, string>> {
  return Object.fromEntries(
    steps.flatMap(({ name, failure }) => (failure ? [[name, Object.values(failure).join(" | ")]] : [])),
  );
}
