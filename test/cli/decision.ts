import { ConfigError, formatProblems, parseEnvironmentFile } from "../../stacks/config";
import { isUserMistake, planEnvironment } from "../../stacks/program";
import { refusalsOf } from "../stacks/planned";
import { type Content, environmentText } from "../stacks/texts";
import { planOf } from "./run";

/** What a plan says of whether an environment may be deployed. */
export interface Decision {
  /** Exit status: 0 deployable, 1 refused, 2 a mistake in the file. */
  readonly status: number;
  /** What is said of a mistake. */
  readonly err: string;
  /** What forbids the deployment, each with where it is: `<subject>: <message>`. */
  readonly refusals: readonly string[];
}

const FILE = "environment.yaml";

/**
 * What the planner alone decides: milliseconds, where the program of an environment takes half a second. No policy is asked,
 * and nothing that only components notice is noticed: `wholeDecisionOf`.
 */
export async function decisionOf(folder: string, content: Content): Promise<Decision> {
  const file = parseEnvironmentFile(environmentText(content));
  if (!file.ok) {
    return { status: 2, err: formatProblems(file.problems, FILE), refusals: [] };
  }
  try {
    const refusals = refusalsOf(await planEnvironment("test", { environment: file.environment, secrets: {} }, folder));
    return {
      status: refusals.length > 0 ? 1 : 0,
      err: "",
      refusals: refusals.map(({ subject, message }) => `${subject}: ${message}`),
    };
  } catch (error) {
    if (!isUserMistake(error)) {
      throw error;
    }
    const { message } = error instanceof ConfigError ? error.foundIn(FILE, file.lineOf) : error;
    return { status: 2, err: message, refusals: [] };
  }
}

/** The same of `npm run plan`, which runs the program and asks the policies too. */
export async function wholeDecisionOf(folder: string, content: Content): Promise<Decision> {
  const { status, out, err } = await planOf(folder, content, "--json");
  return {
    status,
    err: err.replace(/^environment-\d+\.yaml/, FILE).trimEnd(),
    refusals: out === "" ? [] : mandatoryOf(out),
  };
}

function mandatoryOf(out: string): string[] {
  const { violations } = JSON.parse(out) as {
    violations: { severity: string; resource: string; message: string }[];
  };
  return violations
    .filter(({ severity }) => severity === "mandatory")
    .map(({ resource, message }) => `${resource}: ${message}`);
}
