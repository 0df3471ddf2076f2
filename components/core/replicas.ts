import type { Stage } from "../../planner/types";

/**
 * Replicas of controllers and APIs off the request path: two in production, to survive a node
 * drain.
 */
const REPLICAS: Readonly<Record<Stage, number>> = { production: 2, development: 1 };

export function replicasOf(stage: Stage): number {
  return REPLICAS[stage];
}
