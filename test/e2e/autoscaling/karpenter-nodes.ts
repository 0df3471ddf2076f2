import type { NodePoolDisruption } from "../../../components/autoscaling/karpenter-types";
import type { KubernetesObject } from "../../../kubernetes/object";
import {
  karpenterSettings,
  type MadeNode,
  madeNodes,
  type NodePool,
  nodePoolsOf,
  onSimulatedCloud,
  planPoolOf,
} from "../../../rehearsal/autoscaler-nodes";
import { applyPlatform, prepareCluster } from "../../../rehearsal/bring-up";
import { Karpenter, nodeCapacityStage } from "../../../rehearsal/cluster/karpenter";
import { recordedObjects } from "../../../rehearsal/cluster/recorded-objects";
import { simulatedMachines } from "../../../rehearsal/simulated-machines";
import type { ProgramRun } from "../../stacks/run";
import { modelObjects, reading } from "./platform";
import type { AutoscalingStand } from "./stand";

/** In place of the minutes that the plan leaves a node without pods. */
const IDLE_AFTER = "1s";

/** What Karpenter of an environment makes nodes for, on a stand. */
export class KarpenterNodes {
  /** Most nodes that were there at once, by pool of the plan. */
  readonly most = new Map<string, number>();
  private watching = true;
  private readonly watcher: Promise<void>;

  private constructor(
    private readonly stand: AutoscalingStand,
    /** As rendered. */
    readonly nodePools: readonly NodePool[],
  ) {
    this.watcher = this.watch();
  }

  /**
   * Brings up one model, for which Karpenter makes nodes by the NodePools of the environment, and then what scales it.
   *
   * @throws Error with what the API server refused.
   */
  static async bringUp(stand: AutoscalingStand, run: ProgramRun, model: string): Promise<KarpenterNodes> {
    const { plane, replay } = stand;
    const models = run.plan.models.filter(({ name }) => name === model);
    const own = modelObjects({ ...run, plan: { ...run.plan, models } }).map((object) => reading(object, replay.url));
    const isAutoscaler = ({ kind }: KubernetesObject) => kind === "ScaledObject";
    const rendered = nodePoolsOf(recordedObjects(run.resources));
    const pools = onSimulatedCloud(rendered.map(impatient));
    await prepareCluster(plane, [], own, undefined, [nodeCapacityStage(plane)]);
    await Karpenter.start(plane, simulatedMachines(run.plan, rendered), karpenterSettings(run.recording.resources));
    const nodes = new KarpenterNodes(stand, rendered);
    const { refused } = await applyPlatform(plane.client, [...pools, ...own.filter((object) => !isAutoscaler(object))]);
    if (refused.length > 0) {
      throw new Error(refused.map(({ object, reason }) => `${object}: ${reason}`).join("\n"));
    }
    await Promise.all(own.filter(isAutoscaler).map((object) => plane.client.apply(object)));
    return nodes;
  }

  /** Nodes that Karpenter made for a pool of the plan. */
  async made(pool: string): Promise<readonly MadeNode[]> {
    const names = this.nodePools.filter((each) => planPoolOf(each) === pool).map(({ metadata }) => metadata.name);
    const nodes = madeNodes(await this.stand.plane.client.list("v1", "Node"));
    return nodes.filter(({ nodePool }) => names.includes(nodePool));
  }

  /** When nodes of a pool of the plan may be taken away, as rendered. */
  disruptionOf(pool: string): Partial<NodePoolDisruption> {
    return this.nodePools.find((each) => planPoolOf(each) === pool)?.spec.disruption ?? {};
  }

  async stop(): Promise<void> {
    this.watching = false;
    await this.watcher;
  }

  /** Counts machines, also those whose nodes are not there yet. */
  private async watch(): Promise<void> {
    while (this.watching) {
      const claims = await this.stand.plane.client.list("karpenter.sh/v1", "NodeClaim").catch(() => []);
      for (const pool of this.nodePools) {
        const count = claims.filter(
          ({ metadata }) => metadata.labels?.["karpenter.sh/nodepool"] === pool.metadata.name,
        ).length;
        const name = planPoolOf(pool);
        this.most.set(name, Math.max(count, this.most.get(name) ?? 0));
      }
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

/** A pool whose nodes go soon after their last pod. */
function impatient(pool: NodePool): NodePool {
  return { ...pool, spec: { ...pool.spec, disruption: { ...pool.spec.disruption, consolidateAfter: IDLE_AFTER } } };
}
