import type { EksCapacity, EksPool } from "../components/cluster/eks/settings";
import { bootVolumeNeed } from "../planner/boot-volume";
import { nodeMakers } from "../planner/node-makers";
import type { DeploymentPlan } from "../planner/types";
import type { PoolConfig } from "./config";

/**
 * Pools on AWS with their sections' provisioning settings.
 *
 * @param zones of the cluster's network.
 */
export function eksPools(
  config: Readonly<Record<string, PoolConfig>>,
  { pools, models }: Pick<DeploymentPlan, "pools" | "models">,
  zones: readonly string[],
): EksPool[] {
  return pools.map((plan) => {
    const { capacity: said = "on-demand", zones: own = zones, bootVolumeGiB, rdma } = config[plan.name] ?? {};
    const capacity = said as EksCapacity;
    return {
      plan,
      ...nodeMakers(plan, typeof capacity === "object"),
      capacity,
      zones: own,
      bootVolumeGiB: bootVolumeGiB ?? bootVolumeNeed(plan, models).totalGiB,
      efa: plan.fabric?.kind === "efa",
      placementGroup: rdma?.placementGroup ?? false,
    };
  });
}
