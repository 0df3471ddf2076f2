import { nodeReserve } from "../../planner/node-reserve";
import { type Capacity, holds } from "../../planner/packing";
import { allocatable } from "../../planner/pod-resources";
import type { DeploymentPlan, ModelPlan, PoolPlan } from "../../planner/types";

/** One pod of a replica. */
export interface ArrangedPod {
  readonly model: ModelPlan;
  /** From 1. */
  readonly replica: number;
  /** Which of the replica's nodes, from 0. */
  readonly rank: number;
}

export interface ArrangedNode {
  /** From 1, within its pool. */
  readonly number: number;
  readonly pods: readonly ArrangedPod[];
}

/** Nodes that belong together: those of one replica that spans nodes, else a single node. */
export type NodeGroup = readonly ArrangedNode[];

/** What pods may claim of one node of the pool, as the planner counts it. */
export function nodeCapacity(
  {
    pools,
    mesh,
    models,
    unplaced,
    storage,
  }: Pick<DeploymentPlan, "pools" | "mesh" | "models" | "unplaced" | "storage">,
  pool: PoolPlan,
): Capacity {
  const asked = models.length + unplaced.length;
  return allocatable(
    pool.shape,
    nodeReserve({
      pools,
      models: asked,
      nodeCache: storage.nodeCacheGiB !== undefined,
      ...(mesh && { mesh }),
    }),
  );
}

/**
 * One valid arrangement of the pool's minimum: largest pods first, into the fullest node with room.
 * The scheduler may choose another.
 */
export function arrange(
  plan: Pick<DeploymentPlan, "pools" | "mesh" | "models" | "unplaced" | "storage">,
  pool: PoolPlan,
): NodeGroup[] {
  const capacity = nodeCapacity(plan, pool);
  const spanning: ArrangedPod[][][] = [];
  const shared: { free: Capacity; pods: ArrangedPod[] }[] = [];
  const models = plan.models.filter((m) => m.pool === pool.name && m.serverOf === undefined);
  for (const model of models.toSorted((a, b) => compare(b.resources, a.resources))) {
    for (let replica = 1; replica <= model.minReplicas; replica++) {
      if (model.nodesPerReplica > 1) {
        spanning.push(Array.from({ length: model.nodesPerReplica }, (_, rank) => [{ model, replica, rank }]));
        continue;
      }
      const candidates = shared.filter((node) => holds(node.free, model.resources));
      let target = candidates.sort((a, b) => compare(a.free, b.free))[0];
      if (!target) {
        target = { free: capacity, pods: [] };
        shared.push(target);
      }
      target.free = subtract(target.free, model.resources);
      target.pods.push({ model, replica, rank: 0 });
    }
  }
  const used = spanning.flat().length + shared.length;
  const idle = Array.from({ length: Math.max(0, pool.minNodes - used) }, (): ArrangedPod[][] => [[]]);
  let number = 0;
  return [...spanning, ...shared.map(({ pods }) => [pods]), ...idle].map((group) =>
    group.map((pods) => ({ number: ++number, pods })),
  );
}

/** Scarcest first: GPUs, then memory, then CPU. */
function compare(a: Capacity, b: Capacity): number {
  return a.gpus - b.gpus || a.memoryGiB - b.memoryGiB || a.cpu - b.cpu;
}

function subtract(a: Capacity, b: Capacity): Capacity {
  return { gpus: a.gpus - b.gpus, cpu: a.cpu - b.cpu, memoryGiB: a.memoryGiB - b.memoryGiB };
}
