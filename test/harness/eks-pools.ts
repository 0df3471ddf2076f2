import type { EksPool } from "../../components/cluster/eks/settings";
import type { PoolPlan } from "../../planner/types";
import { okePool } from "./oke-pools";

/** A planned pool of a shape of Amazon's with ordinary values, overridden where a test looks. */
export function eksPool(
  shapeName: string,
  plan: Partial<PoolPlan> = {},
  asked: Partial<Omit<EksPool, "plan">> = {},
): EksPool {
  const { plan: planned } = okePool(shapeName, plan);
  return {
    plan: planned,
    groupNodes: planned.minNodes,
    karpenterNodes: 0,
    capacity: "on-demand",
    zones: ["us-east-1a"],
    bootVolumeGiB: 100,
    efa: false,
    placementGroup: false,
    ...asked,
  };
}
