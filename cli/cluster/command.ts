/** Common to commands that only read an environment's cluster and report. */
import { parseArgs } from "node:util";
import { type EnvironmentRun, type OfflineEnvironment, runEnvironment } from "../../offline/environment";
import { type CommandIo, EXIT } from "../io";
import { Progress } from "../progress";
import {
  ENVIRONMENT_OPTIONS,
  type EnvironmentArguments,
  environmentArguments,
  openEnvironment,
  type Problem,
} from "../read-environment";
import { toldMistakes } from "../told-mistakes";
import type { KubeconfigSource } from "./kubeconfig";

export const CLUSTER_OPTIONS = {
  ...ENVIRONMENT_OPTIONS,
  kubeconfig: { type: "string" },
  "kube-context": { type: "string" },
} as const;

/** Exit status 0 where it is ok. */
interface Reported {
  readonly environment: string;
  readonly ok: boolean;
  readonly seconds: number;
}

export interface ClusterQuestion<Report extends Reported> {
  readonly usage: string;
  /** Progress text before the environment's name. */
  readonly doing: string;
  /** @param onProgress receives each answer. */
  readonly ask: (
    run: EnvironmentRun,
    environment: OfflineEnvironment,
    source: KubeconfigSource,
    onProgress: (what: string) => void,
  ) => Promise<Omit<Report, "environment" | "seconds">>;
  /** @param config file of `--config`. */
  readonly text: (report: Report, color: boolean, config: string | undefined) => string;
}

/** Plans the environment, asks, and reports, optionally as JSON. Returns the exit status. */
export async function askCluster<Report extends Reported>(
  argv: string[],
  io: CommandIo,
  { usage, doing, ask, text }: ClusterQuestion<Report>,
): Promise<number> {
  const started = performance.now();
  const opening = openEnvironment(readArguments(argv), usage, io);
  if ("status" in opening) {
    return opening.status;
  }
  const { args, environment } = opening;
  const progress = new Progress(io, `${doing} ${args.environment}`);
  const report = await toldMistakes(io, progress, async () => {
    progress.update("plan");
    const run = await runEnvironment(environment);
    const found = await ask(run, environment, args.source, (what) => progress.update(what));
    const seconds = (performance.now() - started) / 1000;
    return { environment: args.environment, ...found, seconds } as Report;
  });
  if (report === undefined) {
    return EXIT.badInput;
  }
  io.out(args.json ? `${JSON.stringify(report, undefined, 2)}\n` : text(report, io.color, args.config));
  return report.ok ? EXIT.ok : EXIT.refused;
}

interface Arguments extends EnvironmentArguments {
  readonly json: boolean;
  readonly source: KubeconfigSource;
}

function readArguments(argv: string[]): Arguments | Problem | "help" {
  return environmentArguments(
    () => parseArgs({ args: argv, allowPositionals: true, options: CLUSTER_OPTIONS }),
    ({ json, kubeconfig, "kube-context": context }) => ({
      json,
      source: { ...(kubeconfig !== undefined && { kubeconfig }), ...(context !== undefined && { context }) },
    }),
  );
}
