import type { OkePool } from "../components/cluster/oke/settings";
import type { PoolPlan } from "../planner/types";
import type { PoolConfig } from "./config";

/** The node pools of a plan, with what their sections say for whoever makes them. */
export function okePools(config: Readonly<Record<string, PoolConfig>>, plans: readonly PoolPlan[]): OkePool[] {
  return plans.map((plan) => {
    const { capacity = "on-demand", availabilityDomains = [1], bootVolumeGiB, image, rdma } = config[plan.name] ?? {};
    return { plan, capacity, availabilityDomains, bootVolumeGiB, image, computeCluster: rdma?.mode === "managed" };
  });
}
