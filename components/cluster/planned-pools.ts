import type { PoolPlan } from "../../planner/types";
import type { ClusterPool } from "../core/cluster";

/** What pods may rely on of the nodes that a plan asks for, by pool. */
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
