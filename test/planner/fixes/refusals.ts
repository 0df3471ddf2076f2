import type { CapacityProblem, DeploymentPlan } from "../../../planner/types";

/** What keeps a plan from being deployed. */
export function refusals({ problems }: DeploymentPlan): CapacityProblem[] {
  return problems.filter(({ severity }) => severity === "mandatory");
}
