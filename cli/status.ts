/** `npm run status`: what runs of an environment, how to call it, and what is wrong. */
import { parseArgs } from "node:util";
import { runEnvironment } from "../offline/environment";
import { isUserMistake } from "../stacks/program";
import { type CommandIo, EXIT } from "./io";
import { Progress } from "./progress";
import {
  ENVIRONMENT_OPTIONS,
  type EnvironmentArguments,
  environmentArguments,
  openEnvironment,
  type Problem,
} from "./read-environment";
import { askStatus } from "./status/ask";
import { expectedOf } from "./status/expected";
import { statusText } from "./status/report";
import { isWell, type StatusReport } from "./status/result";

const USAGE = `Usage: npm run status -- <environment> [options]

Asks the cluster what runs of an environment: each model's state, replicas, address and a call that works; for what does not
answer the reason, the last warnings and the last lines of its log. It only reads.

  --config FILE        read this file instead of Pulumi.<environment>.yaml
  --kubeconfig FILE    instead of what KUBECONFIG names
  --kube-context NAME  instead of kubeContext in the environment, or of the current context
  --json               machine-readable report
  --help               this text

Exit status: 0 everything answers (or was stopped on purpose), 1 something does not, 2 bad input.
`;

/** `npm run status`. */
export async function main(argv: string[], io: CommandIo): Promise<number> {
  const started = performance.now();
  const opening = openEnvironment(readArguments(argv), USAGE, io);
  if ("status" in opening) {
    return opening.status;
  }
  const { args, environment } = opening;
  const progress = new Progress(io, `asking for ${args.environment}`);
  let report: StatusReport;
  try {
    progress.update("plan");
    const run = await runEnvironment(environment);
    const { kubeconfig, context } = args;
    const source = { ...(kubeconfig !== undefined && { kubeconfig }), ...(context !== undefined && { context }) };
    const { cluster } = run.environment;
    const asked = await askStatus(expectedOf(run), { cluster, source, env: process.env }, (what) =>
      progress.update(what),
    );
    report = {
      environment: args.environment,
      ok: asked.failure === null && isWell(asked),
      ...asked,
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
  io.out(args.json ? `${JSON.stringify(report, undefined, 2)}\n` : statusText(report, io.color));
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
