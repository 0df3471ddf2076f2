/** `npm run doctor`: whether the cluster that an environment names, and this machine, have what the platform needs. */
import { parseArgs } from "node:util";
import { runEnvironment } from "../offline/environment";
import { isUserMistake } from "../stacks/program";
import { examine } from "./doctor/examine";
import { needsOf } from "./doctor/needs";
import { doctorText } from "./doctor/report";
import { type DoctorReport, hasFailed } from "./doctor/result";
import { type CommandIo, EXIT } from "./io";
import { Progress } from "./progress";
import {
  ENVIRONMENT_OPTIONS,
  type EnvironmentArguments,
  environmentArguments,
  openEnvironment,
  type Problem,
} from "./read-environment";

const USAGE = `Usage: npm run doctor -- <environment> [options]

Asks the cluster that an environment names whether it has what the platform needs, and says what mends it. It only reads.
Where the environment makes its cluster itself: this machine's tools and credentials; the cluster once it exists.

  --config FILE        read this file instead of Pulumi.<environment>.yaml
  --kubeconfig FILE    instead of what KUBECONFIG names
  --kube-context NAME  instead of kubeContext in the environment, or of the current context
  --json               machine-readable report
  --help               this text

Exit status: 0 nothing is red (look at what is marked ! and ?), 1 something is, 2 bad input.
`;

/** `npm run doctor`. */
export async function main(argv: string[], io: CommandIo): Promise<number> {
  const started = performance.now();
  const opening = openEnvironment(readArguments(argv), USAGE, io);
  if ("status" in opening) {
    return opening.status;
  }
  const { args, environment } = opening;
  const progress = new Progress(io, `examining ${args.environment}`);
  let report: DoctorReport;
  try {
    progress.update("plan");
    const needs = needsOf(await runEnvironment(environment));
    const { kubeconfig, context } = args;
    const source = { ...(kubeconfig !== undefined && { kubeconfig }), ...(context !== undefined && { context }) };
    const sources = { env: process.env, config: environment.file.config };
    const found = await examine(needs, source, sources, (what) => progress.update(what));
    report = {
      environment: args.environment,
      ok: !hasFailed(found.checks),
      ...found,
      seconds: (performance.now() - started) / 1000,
    };
  } catch (error) {
    if (isUserMistake(error)) {
      io.err(`${error.message}\n`);
      return EXIT.badInput;
    }
    throw error;
  } finally {
    progress.stop();
  }
  io.out(args.json ? `${JSON.stringify(report, undefined, 2)}\n` : doctorText(report, io.color));
  return report.ok ? EXIT.ok : EXIT.refused;
}

interface Arguments extends EnvironmentArguments {
  readonly json: boolean;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

export const options = {
  ...ENVIRONMENT_OPTIONS,
  kubeconfig: { type: "string" },
  "kube-context": { type: "string" },
} as const;

function readArguments(argv: string[]): Arguments | Problem | "help" {
  return environmentArguments(
    () => parseArgs({ args: argv, allowPositionals: true, options }),
    ({ json, kubeconfig, "kube-context": context }) => ({ json, kubeconfig, context }),
  );
}
