import type { CapacityProblem } from "../../planner/types";

export interface CapacityFindings {
  /** Problems that make the deployment fail. */
  readonly problems: readonly CapacityProblem[];
  /** Unknown capacity, and expected shortages when pools grow. */
  readonly notes: readonly string[];
}
