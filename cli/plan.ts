import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { runEnvironment } from "../offline/environment";
import { htmlReport } from "../report/html";
import { judge } from "../report/judge";
import { isDeployable, type PlanResult, toJson } from "../report/result";
import { type TerminalOptions, terminalReport } from "../report/terminal";
import { isUserMistake } from "../stacks/program";
import { type CommandIo, EXIT, messageOf } from "./io";
import { Progress } from "./progress";
import {
  ENVIRONMENT_OPTIONS,
  type EnvironmentArguments,
  environmentArguments,
  openEnvironment,
  type Problem,
} from "./read-environment";
import { commitOf } from "./revision";

const USAGE = `Usage: npm run plan -- <environment> [options]

Runs the real program in this process, without credentials, cluster or Pulumi CLI, and prints the plan.

  --config FILE   read this file instead of Pulumi.<environment>.yaml
  --json          machine-readable plan
  --html FILE     write the plan as one self-contained web page
  --explain       also say why each model fits, and what the five-step rule and the capacity table say
  --tree          also list the components, with what each makes
  --resources     also list every resource below its component
  --help          this text

Exit status: 0 deployable, 1 forbidden by a capacity rule or policy, 2 bad input.
`;

/** `npm run plan`. */
export async function main(argv: string[], io: CommandIo): Promise<number> {
  const started = performance.now();
  const opening = openEnvironment(readArguments(argv), USAGE, io);
  if ("status" in opening) {
    return opening.status;
  }
  const { args, environment } = opening;
  const progress = new Progress(io, `planning ${args.environment}`);
  let result: PlanResult;
  try {
    const run = await runEnvironment(environment, { onResource: (count) => progress.update(`${count} resources`) });
    result = { ...judge(run), seconds: (performance.now() - started) / 1000 };
  } catch (error) {
    if (isUserMistake(error)) {
      io.err(`${error.message}\n`);
      return EXIT.badInput;
    }
    throw error;
  } finally {
    progress.stop();
  }
  io.out(
    args.json
      ? `${JSON.stringify(toJson(result), undefined, 2)}\n`
      : terminalReport(result, { color: io.color, explain: args.explain, tree: args.tree }),
  );
  if (args.html !== undefined) {
    const commit = commitOf(environment.baseDirectory);
    const made = {
      date: `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`,
      ...(commit !== undefined && { commit }),
    };
    const problem = writeReport(args.html, htmlReport({ ...result, made }));
    if (problem !== undefined) {
      io.err(`${problem}\n`);
      return EXIT.badInput;
    }
    io.err(`wrote ${args.html}\n`);
  }
  return isDeployable(result) ? EXIT.ok : EXIT.refused;
}

/** Undefined when written. */
function writeReport(file: string, html: string): string | undefined {
  try {
    writeFileSync(resolve(file), html);
    return undefined;
  } catch (error) {
    return `cannot write the web page: ${messageOf(error)}`;
  }
}

interface Arguments extends EnvironmentArguments {
  readonly json: boolean;
  readonly html: string | undefined;
  readonly explain: boolean;
  readonly tree: TerminalOptions["tree"];
}

export const options = {
  ...ENVIRONMENT_OPTIONS,
  html: { type: "string" },
  explain: { type: "boolean", default: false },
  tree: { type: "boolean", default: false },
  resources: { type: "boolean", default: false },
} as const;

function readArguments(argv: string[]): Arguments | Problem | "help" {
  return environmentArguments(
    () => parseArgs({ args: argv, allowPositionals: true, options }),
    ({ json, html, explain, tree, resources }) => ({
      json,
      html,
      explain,
      tree: resources ? "resources" : tree ? "components" : "none",
    }),
  );
}
