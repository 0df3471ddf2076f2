import { parseArgs } from "node:util";
import { type EnvironmentRun, runEnvironment } from "../offline/environment";
import { AutoscaledRehearsal, autoscalerProblem } from "../rehearsal/autoscaler";
import { kindsOf, recordedObjects } from "../rehearsal/cluster/recorded-objects";
import { missingParts } from "../rehearsal/needed-parts";
import type { NodeCounts } from "../rehearsal/pool-nodes";
import { Rehearsal } from "../rehearsal/rehearsal";
import { terminalReport } from "../rehearsal/report/terminal";
import { Stopwatch } from "../rehearsal/stopwatch";
import { judge } from "../report/judge";
import { isDeployable } from "../report/result";
import { shortResource } from "../report/short-resource";
import { type CommandIo, EXIT } from "./io";
import { Progress } from "./progress";
import {
  ENVIRONMENT_OPTIONS,
  type EnvironmentArguments,
  environmentArguments,
  openEnvironment,
  type Problem,
} from "./read-environment";
import { offerToInstall } from "./rehearse/offer";
import { toldMistakes } from "./told-mistakes";

const USAGE = `Usage: npm run rehearse -- <environment> [options]

Brings an environment up on a real Kubernetes control plane of this machine, on nodes that KWOK plays as the plan's
pools have them; then drains and loses nodes. Nothing is created anywhere else. docs/rehearsal.md says what is real.

  --config FILE    read this file instead of Pulumi.<environment>.yaml
  --nodes POOL=N   start with N nodes in a pool instead of its minimum; once for each pool
  --autoscaler karpenter
                   start without the nodes that Karpenter makes: the real one makes them, on a simulated cloud with
                   the catalogue's machines and prices; drains and losses are left out
  --install        first install what is missing on this machine, without a question
  --json           machine-readable report
  --keep           then leave the control plane running until Ctrl-C, and say where its kubeconfig is
  --help           this text

Exit status: 0 all as promised, 1 something waits or breaks, 2 bad input, or a part is missing on this machine.
`;

export async function main(argv: string[], io: CommandIo): Promise<number> {
  const opening = openEnvironment(readArguments(argv), USAGE, io);
  if ("status" in opening) {
    return opening.status;
  }
  const { args, environment } = opening;
  const progress = new Progress(io, `rehearsing ${args.environment}`);
  const status = await toldMistakes(io, progress, async () => {
    const watch = new Stopwatch((phase) => progress.update(phase));
    const run = await watch.time("plan", () => runEnvironment(environment));
    const refusal = refusalOf(run, args);
    if (refusal !== undefined) {
      progress.stop();
      io.err(`${refusal.problem}\n`);
      return refusal.status;
    }
    const missing = await missingParts(kindsOf(recordedObjects(run.recording.resources)), args);
    if (missing !== undefined) {
      progress.stop();
      if (!(await watch.leaveOut(() => offerToInstall(missing, args, io)))) {
        return EXIT.badInput;
      }
      progress.start();
    }
    return perform(run, watch, args, io, progress);
  });
  return status ?? EXIT.badInput;
}

async function perform(
  run: EnvironmentRun,
  watch: Stopwatch,
  { nodes, autoscaled, json, keep }: Arguments,
  io: CommandIo,
  progress: Progress,
): Promise<number> {
  const rehearsal = await (autoscaled ? AutoscaledRehearsal : Rehearsal).start(run, watch, nodes);
  try {
    const report = await rehearsal.perform();
    progress.stop();
    io.out(json ? `${JSON.stringify(report, undefined, 2)}\n` : terminalReport(report, { color: io.color }));
    if (keep) {
      io.err(`The control plane runs until Ctrl-C: export KUBECONFIG=${rehearsal.kubeconfig}\n`);
      await new Promise(() => {});
    }
    return report.ok ? EXIT.ok : EXIT.refused;
  } finally {
    await rehearsal.stop();
  }
}

interface Refusal extends Problem {
  readonly status: number;
}

/** Why a rehearsal cannot start. */
function refusalOf(run: EnvironmentRun, { environment, nodes, autoscaled }: Arguments): Refusal | undefined {
  const pools = run.plan.pools.map(({ name }) => name);
  const unknown = Object.keys(nodes).filter((name) => !pools.includes(name));
  if (unknown.length > 0) {
    return {
      status: EXIT.badInput,
      problem: `--nodes: there is no pool ${unknown.join(", ")}; pools of ${environment}: ${pools.join(", ")}`,
    };
  }
  const problem = autoscaled ? autoscalerProblem(run, nodes) : undefined;
  if (problem !== undefined) {
    return { status: EXIT.badInput, problem };
  }
  const verdict = judge(run);
  if (!isDeployable(verdict)) {
    const reasons = verdict.violations.filter(({ severity }) => severity === "mandatory");
    const lines = reasons.map(({ policy, resource, message }) => `${policy} ${shortResource(resource)}\n  ${message}`);
    return {
      status: EXIT.refused,
      problem: `${environment} must not be deployed, so there is nothing to rehearse (npm run plan -- ${environment}):\n${lines.join("\n")}`,
    };
  }
  return undefined;
}

interface Arguments extends EnvironmentArguments {
  readonly nodes: NodeCounts;
  /** With Karpenter. */
  readonly autoscaled: boolean;
  readonly json: boolean;
  readonly keep: boolean;
  /** Installs missing parts without asking. */
  readonly install: boolean;
}

export const options = {
  ...ENVIRONMENT_OPTIONS,
  nodes: { type: "string", multiple: true, default: [] as string[] },
  autoscaler: { type: "string" },
  keep: { type: "boolean", default: false },
  install: { type: "boolean", default: false },
} as const;

/** `--autoscaler`: the one for our AWS clusters. OKE's needs a cloud. */
const AUTOSCALER = "karpenter";

function readArguments(argv: string[]): Arguments | Problem | "help" {
  return environmentArguments(
    () => parseArgs({ args: argv, allowPositionals: true, options }),
    ({ nodes, autoscaler, json, keep, install }) => {
      const read = readNodeCounts(nodes);
      const unknown = autoscaler === undefined || autoscaler === AUTOSCALER ? [] : [unknownAutoscaler(autoscaler)];
      const problems = [...("problem" in read ? [read.problem] : []), ...unknown];
      return "problem" in read || problems.length > 0
        ? { problem: problems.join("\n") }
        : { nodes: read.counts, autoscaled: autoscaler !== undefined, json, keep, install };
    },
  );
}

function unknownAutoscaler(name: string): string {
  return `--autoscaler ${name}: the only one that can be rehearsed is ${AUTOSCALER}`;
}

/** Of a pool: etcd and KWOK on one machine easily serve a few hundred. */
const MOST_NODES = 200;

function readNodeCounts(texts: readonly string[]): { readonly counts: NodeCounts } | Problem {
  const problems: string[] = [];
  const counts = new Map<string, number>();
  for (const text of texts) {
    const { pool, count } = /^(?<pool>[^=]+)=(?<count>\d{1,3})$/.exec(text)?.groups ?? {};
    if (pool === undefined || Number(count) > MOST_NODES) {
      problems.push(
        `--nodes ${text}: give a pool and its number of nodes, 0 to ${MOST_NODES}, for example --nodes gpu=1`,
      );
    } else if (counts.has(pool)) {
      problems.push(`--nodes ${text}: pool ${pool} is given twice`);
    } else {
      counts.set(pool, Number(count));
    }
  }
  return problems.length > 0 ? { problem: problems.join("\n") } : { counts: Object.fromEntries(counts) };
}
