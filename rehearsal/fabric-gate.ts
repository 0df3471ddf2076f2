/**
 * KWOK completes Jobs without running them, so the rehearsal removes a fabric gate's taint after
 * its first Job. Also for later nodes, as the gate's CronJob does.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { KubernetesObject } from "../kubernetes/object";
import { UNCERTIFIED } from "../planner/fabric-gate";
import type { DeploymentPlan } from "../planner/types";
import type { ApiClient } from "./cluster/api-client";
import { readState } from "./cluster-state";

const LOOK_EVERY_MS = 200;

/** Jobs that certify the first nodes of gated pools: `<namespace>/<name>` by pool. */
export type GateJobs = ReadonlyMap<string, string>;

interface NodeObject extends KubernetesObject {
  readonly spec?: { readonly taints?: readonly { readonly key: string }[] };
}

/** First Jobs of an environment's gates, by label. */
export function gateJobsOf(objects: readonly KubernetesObject[], plan: Pick<DeploymentPlan, "pools">): GateJobs {
  const jobs = objects.filter(({ kind, metadata }) => {
    return kind === "Job" && metadata.labels?.["app.kubernetes.io/name"] === "fabric-certifier";
  });
  return new Map(
    plan.pools
      .filter(({ fabricGate }) => fabricGate !== undefined)
      .flatMap(({ name }) => {
        const job = jobs.find(({ metadata }) => metadata.name === `certify-${name}`);
        return job ? [[name, `${job.metadata.namespace}/${job.metadata.name}`] as const] : [];
      }),
  );
}

/** Certifies nodes of pools whose gate Job has completed, until stopped. */
export class PlayedGates {
  private running = true;
  private readonly done: Promise<void>;

  constructor(
    private readonly client: ApiClient,
    private readonly jobs: GateJobs,
    private readonly plan: Pick<DeploymentPlan, "pools">,
  ) {
    this.done = jobs.size > 0 ? this.play() : Promise.resolve();
  }

  async stop(): Promise<void> {
    this.running = false;
    await this.done;
  }

  private async play(): Promise<void> {
    for (; this.running; await sleep(LOOK_EVERY_MS)) {
      // API server or node may be unavailable: retries at the next check.
      await this.look().catch(() => undefined);
    }
  }

  private async look(): Promise<void> {
    const { completedJobs } = await readState(this.client);
    const open = this.plan.pools.filter(({ name }) => completedJobs.has(this.jobs.get(name) ?? ""));
    const nodes = open.length > 0 ? ((await this.client.list("v1", "Node")) as NodeObject[]) : [];
    for (const node of nodes) {
      const taints = node.spec?.taints ?? [];
      const kept = taints.filter(({ key }) => key !== UNCERTIFIED.key);
      const labels = node.metadata.labels ?? {};
      const isOurs = open.some(({ selector }) =>
        Object.entries(selector).every(([key, value]) => labels[key] === value),
      );
      if (isOurs && kept.length < taints.length) {
        await this.client.patch(node, { spec: { taints: kept } });
      }
    }
  }
}
