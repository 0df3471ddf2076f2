import type { DeploymentPlan } from "../../planner/types";

/** Requests a second of all models on average, as far as the environment declares traffic. */
export function requestsPerSecond({ models }: Pick<DeploymentPlan, "models">): number {
  return models.reduce((sum, { traffic }) => sum + (traffic?.requestsPerSecond ?? 0), 0);
}
