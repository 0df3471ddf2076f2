import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { formatProblems, parseEnvironmentFile } from "../stacks/config";
import { isUserMistake } from "../stacks/program";
import { environmentFile, environmentNames } from "./environments";
import { type CommandIo, EXIT } from "./io";
import { judge, type OfflineEnvironment, runEnvironment } from "./plan-offline";
import { Progress } from "./progress";
import { htmlReport } from "./report/html";
import { isDeployable, type PlanResult, toJson } from "./report/result";
import { terminalReport } from "./report/terminal";

const USAGE = `Usage: npm run plan -- <environment> [options]

Runs the real program in this process, without credentials, cluster or Pulumi CLI, and prints the plan.

  --config FILE   read this file instead of Pulumi.<environment>.yaml
  --json          machine-readable plan
  --html FILE     write the plan as one self-contained web page
  --tree          also list every resource below its component
  --help          this text

Exit status: 0 deployable, 1 forbidden by a capacity rule or policy, 2 bad input.
`;

/** `npm run plan`. */
export async function main(argv: string[], io: CommandIo): Promise<number> {
  const started = performance.now();
  const args = readArguments(argv);
  if (args === "help") {
    io.out(USAGE);
    return EXIT.ok;
  }
  if ("problem" in args) {
    io.err(`${args.problem}\n\n${USAGE}`);
    return EXIT.badInput;
  }
  const environment = readEnvironment(args);
  if ("problem" in environment) {
    io.err(`${environment.problem}\n`);
    return EXIT.badInput;
  }
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
      : terminalReport(result, { color: io.color, tree: args.tree }),
  );
  if (args.html !== undefined) {
    const problem = writeReport(args.html, htmlReport(result));
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

interface Arguments {
  readonly environment: string;
  readonly config: string | undefined;
  readonly json: boolean;
  readonly html: string | undefined;
  readonly tree: boolean;
}

interface Problem {
  readonly problem: string;
}

function readArguments(argv: string[]): Arguments | Problem | "help" {
  try {
    const { values, positionals } = parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        config: { type: "string" },
        json: { type: "boolean", default: false },
        html: { type: "string" },
        tree: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    const [environment, ...rest] = positionals;
    if (values.help) {
      return "help";
    }
    if (environment === undefined || rest.length > 0) {
      return { problem: `name one environment: ${environmentNames().join(", ")}` };
    }
    return { environment, config: values.config, json: values.json, html: values.html, tree: values.tree };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** What Pulumi accepts as the name of a stack. */
const STACK_NAME = /^[\w.-]{1,100}$/;

function readEnvironment({ environment, config }: Arguments): OfflineEnvironment | Problem {
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
