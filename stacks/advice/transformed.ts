import type { CapacityProblem } from "../../planner/types";
import type { EnvironmentConfig } from "../config";

/** Resources that differ from the plan. */
export function transformed({
  environment: { transform },
}: {
  readonly environment: Pick<EnvironmentConfig, "transform">;
}): CapacityProblem[] {
  return transform.map(({ kind, resource, reason, patches }, index) => ({
    severity: "advisory",
    rule: "transformed",
    subject: `transform[${index}]`,
    message: `changes ${kind} ${resource} at ${patches.map(({ path }) => path).join(", ")} (${reason}). The figures of this plan do not count it; policies judge the result.`,
  }));
}
