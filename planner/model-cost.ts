/** What of a pool's cost is a model's. */
import { HOURS_PER_MONTH } from "./cost";
import { heldReplicas, type Placement } from "./placement";
import type { PoolPlan } from "./types";

export interface ModelCost {
  /** Of the nodes that always run. */
  readonly hourlyUsd: number;
  /** With what its schedule starts. */
  readonly monthlyUsd: number;
  /** Replicas that this pays for, on average over the year. */
  readonly replicas: number;
}

/**
 * The part of what its replicas claim of all that replicas claim: in GPUs, or in memory of CPU nodes, where nobody pays for
 * what is left over.
 *
 * @param here all that is placed on the pool.
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
