import { readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { formatProblems, parseEnvironmentFile } from "../stacks/config";
import { environmentFile } from "./environments";
import type { OfflineEnvironment } from "./plan-offline";

/** The environment that a command was asked for. */
export interface EnvironmentArguments {
  /** Name of the environment. */
  readonly environment: string;
  /** File to read instead of `Pulumi.<environment>.yaml`. */
  readonly config: string | undefined;
}

/** What the user must mend. */
export interface Problem {
  readonly problem: string;
}

/** What Pulumi accepts as the name of a stack. */
const STACK_NAME = /^[\w.-]{1,100}$/;

/** Reads and checks the file of an environment. */
export function readEnvironment({ environment, config }: EnvironmentArguments): OfflineEnvironment | Problem {
  if (!STACK_NAME.test(environment)) {
    return {
      problem: `${JSON.stringify(environment)} cannot be the name of an environment: use letters, digits, ".", "_" and "-", at most 100`,
    };
  }
  const found = config === undefined ? environmentFile(environment) : { file: resolve(config) };
  if ("problem" in found) {
    return found;
  }
  const text = readText(found.file);
  if (typeof text !== "string") {
    return text;
  }
  const parsed = parseEnvironmentFile(text);
  return parsed.ok
    ? { name: environment, file: parsed, baseDirectory: dirname(found.file) }
    : { problem: formatProblems(parsed.problems, basename(found.file)) };
}

function readText(file: string): string | Problem {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    return { problem: `cannot read ${file}: ${messageOf(error)}` };
  }
}

/** What an error says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
