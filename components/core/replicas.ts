import type { Stage } from "../../planner/types";

/**
 * Replicas of what stays off the requests' path, controllers and our own API: in production two, so that one keeps
 * working while the other's node is drained.
 */
const REPLICAS: Readonly<Record<Stage, number>> = { production: 2, development: 1 };

export function replicasOf(stage: Stage): number {
  return REPLICAS[stage];
}
