import { bootVolumeNeed } from "../planner/boot-volume";
import type { CapacityProblem, DeploymentPlan } from "../planner/types";
import type { PoolConfig } from "./config";

/** Configured boot volumes that are too small for the plan's pods. */
export function bootVolumeProblems(
  pools: Readonly<Record<string, PoolConfig>>,
  plan: Pick<DeploymentPlan, "pools" | "models">,
): CapacityProblem[] {
  return plan.pools.flatMap((pool): CapacityProblem[] => {
    const given = pools[pool.name]?.bootVolumeGiB;
    const { podsGiB, imagesGiB, systemGiB, totalGiB } = bootVolumeNeed(pool, plan.models);
    if (given === undefined || given >= totalGiB) {
      return [];
    }
    const rooms = `${podsGiB} GiB that its pods may write, ${systemGiB} of the system and some ${imagesGiB} of images, with a seventh free`;
    const tooSmall = given < podsGiB + systemGiB;
    return [
      {
        severity: tooSmall ? "mandatory" : "advisory",
        rule: "boot-volume",
        subject: `pools.${pool.name}.bootVolumeGiB`,
        message: `pools.${pool.name}.bootVolumeGiB is ${given}; a node of this pool holds ${totalGiB}: ${rooms}. ${tooSmall ? "Its pods would wait for ever" : "Nodes may delete images that they need, and evict pods"}. Write bootVolumeGiB: ${totalGiB} or more, or remove it: the plan then takes that.`,
      },
    ];
  });
}
