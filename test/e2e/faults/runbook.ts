import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../../names/repository-root";

const SECTION = "## When an up was interrupted\n";
/** Nobody is there to answer the command line's questions. */
const UNATTENDED: Readonly<Record<string, readonly string[]>> = {
  cancel: ["--yes"],
  import: ["--yes", "--skip-preview"],
  refresh: ["--yes", "--skip-preview"],
  up: ["--yes", "--skip-preview"],
};

/** A command of Pulumi's, without the stack. */
export interface RunbookStep {
  /** Environment variables to set. */
  readonly variables: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

/**
 * What the runbook tells an operator whose `up` was interrupted: its commands, in its order, with the answers to their
 * questions.
 *
 * @param heading of the section.
 */
export function runbookSteps(heading = SECTION): RunbookStep[] {
  const runbook = readFileSync(join(repositoryRoot(), "docs", "operations.md"), "utf8");
  const section = runbook.slice(runbook.indexOf(heading) + heading.length).split("\n## ")[0] ?? "";
  const block = /```sh\n(?<commands>.*?)```/s.exec(section)?.groups?.commands ?? "";
  const steps = block
    .split("\n")
    .filter((line) => line !== "")
    .map(stepOf);
  if (steps.length === 0) {
    throw new Error(`docs/operations.md has no commands in "${heading}"`);
  }
  return steps;
}

function stepOf(line: string): RunbookStep {
  const [command = ""] = line.split("#");
  const words = command.replace("-s <environment>", "").trim().split(/\s+/);
  const start = words.indexOf("pulumi");
  if (start < 0) {
    throw new Error(`not a command of Pulumi: ${line}`);
  }
  const variables = words.slice(0, start).map((word) => word.split("="));
  const args = words.slice(start + 1);
  return { variables: Object.fromEntries(variables), args: [...args, ...(UNATTENDED[args[0] ?? ""] ?? [])] };
}
