import type { DeploymentPlan } from "../../planner/types";

/** Average over all models with declared traffic. */
export function requestsPerSecond({ models }: Pick<DeploymentPlan, "models">): number {
  return models.reduce((sum, { traffic }) => sum + (traffic?.requestsPerSecond ?? 0), 0);
}
