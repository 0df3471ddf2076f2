import type { CapacityProblem } from "../../planner/types";
import type { EnvironmentConfig } from "../config";

/** Availability of the cloud's machines, which a plan cannot know. */
export function cloudCapacity({
  environment: { cluster, scope },
}: {
  readonly environment: Pick<EnvironmentConfig, "cluster" | "scope">;
}): CapacityProblem[] {
  const isOfACloud = cluster.kind === "oci" || cluster.kind === "aws";
  if (!isOfACloud || cluster.provision !== "create" || scope === "platform") {
    return [];
  }
  return [
    {
      severity: "advisory",
      rule: "cloud-capacity",
      subject: "pools",
      message:
        "limits and machines of the cloud were not asked for, a plan needs no credentials: pulumi preview asks, and refuses before anything is made.",
    },
  ];
}
