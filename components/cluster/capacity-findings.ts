import type { CapacityProblem } from "../../planner/types";

/** What a cloud that was asked leaves to say of its room for a plan. */
export interface CapacityFindings {
  /** What makes the deployment fail: mandatory. */
  readonly problems: readonly CapacityProblem[];
  /** What nobody could say, and what will lack when pools grow. */
  readonly notes: readonly string[];
}
