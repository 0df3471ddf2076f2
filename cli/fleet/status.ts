/** `fleet status`: state of all clusters, asked in parallel. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Limits } from "../cluster/cluster-api";
import type { KubeconfigSource } from "../cluster/kubeconfig";
import { deadline } from "../deadline";
import type { CommandIo } from "../io";
import { Progress } from "../progress";
import { type Asked, askStatus } from "../status/ask";
import { isWell } from "../status/result";
import type { ComposedNode } from "./compose";
import { CLUSTERS_AT_ONCE, SECONDS_PER_NODE } from "./defaults";
import type { OpenedFleet } from "./open";
import { problemsOf, type WorkOptions, workOn } from "./plan";
import { type AskedNode, FLEET_SCHEMA_VERSION, type FleetStatus } from "./result";
import type { Outcome } from "./work";

export interface StatusOptions extends WorkOptions {
  /** Folder of kubeconfigs per node: `<node>.yaml`, `<node>.yml`, or `<node>`. */
  readonly kubeconfigs: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Of each cluster request. */
  readonly limits: Limits;
}

/** Never throws for a node's mistakes or cluster. */
export async function askFleet(
  { fleet, nodes }: OpenedFleet,
  options: StatusOptions,
  io: CommandIo,
): Promise<Omit<FleetStatus, "seconds">> {
  const progress = new Progress(io, `asking the nodes of ${fleet.fileName}`);
  const turns = new AtOnce(CLUSTERS_AT_ONCE);
  const asked = new Map<string, AskedNode>();
  const questions: Promise<void>[] = [];
  try {
    // The time limit is the clusters': planning here may take longer.
    const work = { ...options, secondsPerNode: SECONDS_PER_NODE.plan };
    await workOn("expected", fleet.folder, nodes, work, (node, outcome) => {
      // Not awaited: the next node is planned meanwhile.
      const question = turns.run(async () => {
        asked.set(node.name, await askNode(node, outcome, options));
        progress.update(`${asked.size} of ${nodes.length} nodes`);
      });
      questions.push(question);
    });
    await Promise.all(questions);
  } finally {
    progress.stop();
  }
  const all = nodes.flatMap(({ name }) => asked.get(name) ?? []);
  const of = (verdict: AskedNode["verdict"]) => all.filter((node) => node.verdict === verdict).length;
  return {
    schemaVersion: FLEET_SCHEMA_VERSION,
    fleet: fleet.fileName,
    ok: all.every(({ verdict }) => verdict === "well"),
    totals: {
      nodes: all.length,
      well: of("well"),
      unwell: of("unwell"),
      notAsked: of("not-asked"),
      badInput: of("bad-input"),
      failed: of("failed"),
    },
    nodes: all,
  };
}

async function askNode(node: ComposedNode, outcome: Outcome, options: StatusOptions): Promise<AskedNode> {
  const shared = problemsOf(node, outcome);
  if (outcome.kind !== "expected" || shared.problems.length > 0) {
    return { ...shared, verdict: outcome.kind === "failed" ? "failed" : "bad-input" };
  }
  const started = performance.now();
  const { expected, cluster } = outcome;
  const source = kubeconfigOf(node.name, options.kubeconfigs);
  if (source === undefined && cluster.kubeContext === undefined) {
    // The current context would answer for every node.
    return { ...shared, verdict: "not-asked", failure: unnamed(node.name) };
  }
  const limit = deadline(options.secondsPerNode);
  const { signal } = limit;
  const asked = await withinTime(
    askStatus(expected, { cluster, source: source ?? {}, env: options.env, signal, limits: options.limits }, () => {}),
    signal,
  ).finally(() => limit.stop());
  if (asked === undefined) {
    const failure = `its cluster did not say all within ${options.secondsPerNode} s`;
    return { ...shared, verdict: "not-asked", failure };
  }
  const { failure } = asked;
  const isOk = failure === null && isWell(asked);
  const status = { environment: node.name, ok: isOk, ...asked, seconds: (performance.now() - started) / 1000 };
  if (failure !== null) {
    const text = [failure.message, ...failure.remedies.map((remedy) => `- ${remedy}`)].join("\n");
    return { ...shared, verdict: "not-asked", failure: text, status };
  }
  return { ...shared, verdict: isOk ? "well" : "unwell", status };
}

/** Undefined at a timeout: open requests then end by themselves. */
function withinTime(question: Promise<Asked>, signal: AbortSignal): Promise<Asked | undefined> {
  return new Promise((done, failed) => {
    signal.addEventListener("abort", () => done(undefined), { once: true });
    question.then((asked) => done(signal.aborted ? undefined : asked), failed);
  });
}

function unnamed(name: string): string {
  return [
    "no option says which cluster of your kubeconfig it is",
    `- cluster.kubeContext in its config, or --kubeconfigs DIR with a file ${name}.yaml`,
    `- of a cluster that its stack made: pulumi stack output kubeconfig --show-secrets -s ${name} > DIR/${name}.yaml`,
  ].join("\n");
}

function kubeconfigOf(name: string, folder: string | undefined): KubeconfigSource | undefined {
  if (folder === undefined) {
    return undefined;
  }
  const file = ["", ".yaml", ".yml"].map((ending) => join(folder, `${name}${ending}`)).find((path) => existsSync(path));
  return file === undefined ? undefined : { kubeconfig: file };
}

/** Limits concurrency; others wait in order. */
class AtOnce {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async run(work: () => Promise<void>): Promise<void> {
    if (this.free > 0) {
      this.free -= 1;
    } else {
      await new Promise<void>((turn) => this.waiting.push(turn));
    }
    try {
      await work();
    } finally {
      const next = this.waiting.shift();
      if (next) {
        next();
      } else {
        this.free += 1;
      }
    }
  }
}
