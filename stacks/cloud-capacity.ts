import { capacityFindings } from "../components/cluster/oke/capacity";
import type { AskCapacity } from "../components/cluster/oke/capacity-check";
import type { CapacityProblem, DeploymentPlan } from "../planner/types";
import type { CoreConfig } from "./config/core/schema";
import { okePools } from "./oke-pools";
import { okeSettings } from "./oke-settings";

/** The cloud has no room for the plan; the message holds every reason. Nothing was created. */
export class CapacityRefusedError extends Error {
  constructor(
    environment: string,
    readonly problems: readonly CapacityProblem[],
  ) {
    const reasons = problems.map(({ subject, message }) => `  ${subject}: ${message}`);
    super(`the cloud has no room for environment "${environment}":\n${reasons.join("\n")}`);
  }
}

/**
 * Asks the cloud whether it has room for the nodes of a plan, where they are made here.
 *
 * @returns what deserves a look all the same.
 * @throws CapacityRefusedError
 */
export async function checkCloudCapacity(
  { environment, plan }: { readonly environment: CoreConfig; readonly plan: DeploymentPlan },
  ask: AskCapacity,
): Promise<readonly string[]> {
  const { cluster, pools, scope } = environment;
  const settings =
    cluster.kind === "oci" && scope !== "platform" ? okeSettings(cluster, plan, environment.gateway) : undefined;
  if (settings === undefined) {
    return [];
  }
  const planned = okePools(pools, plan);
  const answer = await ask(settings, planned).catch((error: unknown) => String(error));
  if (typeof answer === "string") {
    return [
      `the cloud did not say what it has room for, whether the nodes can be had shows when they are made: ${answer}`,
    ];
  }
  const { problems, notes } = capacityFindings(planned, answer);
  if (problems.length > 0) {
    throw new CapacityRefusedError(plan.environment, problems);
  }
  return notes;
}
