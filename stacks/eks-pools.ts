import type { EksCapacity, EksPool } from "../components/cluster/eks/settings";
import { bootVolumeNeed } from "../planner/boot-volume";
import type { DeploymentPlan, PoolPlan } from "../planner/types";
import type { PoolConfig } from "./config";

/**
 * The pools of a plan on AWS, with what their sections say for whoever makes nodes.
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
      ...makers(plan, capacity),
      capacity,
      zones: own,
      bootVolumeGiB: bootVolumeGiB ?? bootVolumeNeed(plan, models).totalGiB,
      efa: plan.fabric?.kind === "efa",
      placementGroup: rdma?.placementGroup ?? false,
    };
  });
}

/**
 * Karpenter makes nodes for pods that find no room. What must be there before such pods come is a managed node group's:
 * nodes that Karpenter itself and the platform run on, those that are tried two by two before models come, those of
 * a reservation, which are paid for whether they run or not, and those whose GPUs are parted: Karpenter knows whole cards of a
 * machine, and makes none for a pod that asks for a part (v1.14.1; seen on the real one, 2026-11-23).
 */
function makers(
  { role, minNodes, maxNodes, fabricGate, sharing }: PoolPlan,
  capacity: EksCapacity,
): Pick<EksPool, "groupNodes" | "karpenterNodes"> {
  if (role === "system") {
    return { groupNodes: minNodes, karpenterNodes: maxNodes - minNodes };
  }
  return typeof capacity === "object" || fabricGate !== undefined || sharing !== undefined
    ? { groupNodes: minNodes, karpenterNodes: 0 }
    : { groupNodes: 0, karpenterNodes: maxNodes };
}
