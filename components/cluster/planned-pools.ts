import type { PoolPlan } from "../../planner/types";
import type { ClusterPool } from "../core/cluster";

/** Node capabilities that pods may assume in a plan, by pool. */
export function plannedPools(pools: readonly PoolPlan[]): Readonly<Record<string, ClusterPool>> {
  return Object.fromEntries(
    pools.map(({ name, shape, minNodes, maxNodes, labels, taints, startupTaints, fabric }) => [
      name,
      {
        shape: shape.name,
        minNodes,
        maxNodes,
        labels,
        taints,
        startupTaints,
        ...(fabric && { fabric }),
        ...(shape.gpu && { gpus: { resource: shape.gpu.resource, perNode: shape.gpu.count } }),
      },
    ]),
  );
}
