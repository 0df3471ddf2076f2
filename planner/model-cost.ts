import { HOURS_PER_MONTH } from "./cost";
import { heldReplicas, type Placement } from "./placement";
import type { PoolPlan } from "./types";

export interface ModelCost {
  /** Permanent nodes. */
  readonly hourlyUsd: number;
  /** Including scheduled nodes. */
  readonly monthlyUsd: number;
  /** Paid replicas, averaged over the year. */
  readonly replicas: number;
}

/**
 * Share of all GPUs that replicas claim; on CPU nodes, share of their memory, whose unclaimed rest
 * is no model's.
 *
 * @param here everything placed on the pool.
 */
export function modelCost(placement: Placement, pool: PoolPlan, here: readonly Placement[]): ModelCost {
  const held = ({ model }: Placement) => heldReplicas(model);
  const onAverage = ({ heldOnAverage }: Placement) => heldOnAverage;
  const nodes = pool.minNodes + pool.scheduledNodeHours / HOURS_PER_MONTH;
  return {
    hourlyUsd: pool.hourlyUsd * partOf(placement, pool, here, pool.minNodes, held),
    monthlyUsd: pool.monthlyUsd * partOf(placement, pool, here, nodes, onAverage),
    replicas: placement.heldOnAverage,
  };
}

function partOf(
  placement: Placement,
  { shape }: Pick<PoolPlan, "shape">,
  here: readonly Placement[],
  nodes: number,
  replicas: (placement: Placement) => number,
): number {
  if (shape.gpu === undefined) {
    const total = nodes * shape.memoryGiB;
    return total > 0 ? Math.min(1, (replicas(placement) * placement.candidate.resources.memoryGiB) / total) : 0;
  }
  const claimed = (each: Placement) => {
    const { gpusPerNode, nodesPerReplica } = each.candidate.layout;
    return replicas(each) * gpusPerNode * nodesPerReplica;
  };
  const all = here.reduce((sum, each) => sum + claimed(each), 0);
  return all > 0 ? claimed(placement) / all : 0;
}
