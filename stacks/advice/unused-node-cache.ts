import type { CapacityProblem, DeploymentPlan } from "../../planner/types";
import type { EnvironmentConfig } from "../config";

/** `storage.nodeCacheGiB` where no pod reads from a cache. */
export function unusedNodeCache({
  environment: { storage },
  plan,
}: {
  readonly environment: { readonly storage: Pick<EnvironmentConfig["storage"], "nodeCacheGiB"> };
  readonly plan: { readonly storage: Pick<DeploymentPlan["storage"], "nodeCacheGiB"> };
}): CapacityProblem[] {
  if (storage.nodeCacheGiB === undefined || plan.storage.nodeCacheGiB !== undefined) {
    return [];
  }
  return [
    {
      severity: "advisory",
      rule: "unused-node-cache",
      subject: "storage.nodeCacheGiB",
      message: `${storage.nodeCacheGiB} GiB, and no model uses a cache: caches hold what a Job copies into the model store, for engines with loading: copy (docs/node-disks.md). Remove it.`,
    },
  ];
}
