import type { NodeMaker, OkePool } from "../components/cluster/oke/settings";
import { bootVolumeNeed } from "../planner/boot-volume";
import type { DeploymentPlan, ModelPlan, PoolPlan } from "../planner/types";
import type { PoolConfig } from "./config";

/** Node pools with their sections' provisioning settings. */
export function okePools(
  config: Readonly<Record<string, PoolConfig>>,
  { pools, models }: Pick<DeploymentPlan, "pools" | "models">,
): OkePool[] {
  return pools.map((plan) => {
    const {
      capacity = "on-demand",
      availabilityDomains = [1],
      bootVolumeGiB,
      cycling,
      image,
      rdma,
    } = config[plan.name] ?? {};
    return {
      plan,
      madeBy: nodeMaker(plan, rdma),
      // Capacity blocks are Amazon's: validation refuses them here.
      capacity: capacity as OkePool["capacity"],
      availabilityDomains,
      bootVolumeGiB: bootVolumeGiB ?? bootVolumeNeed(plan, models).totalGiB,
      evictionGraceMinutes: evictionGraceMinutes(models.filter(({ pool }) => pool === plan.name)),
      cycling,
      image,
      computeCluster: rdma?.mode === "managed",
    };
  });
}

/**
 * Node pools support neither cluster networks nor platform settings of machines (`@pulumi/oci`
 * 4.20, NodePoolArgs).
 */
function nodeMaker({ confidential }: Pick<PoolPlan, "confidential">, rdma: PoolConfig["rdma"]): NodeMaker {
  if (rdma?.mode === "cluster-network") {
    return "cluster-network";
  }
  return confidential ? "instance-pool" : "node-pool";
}

/** OKE's maximum, and the need of platform pods. */
const GRACE_MINUTES = { most: 60, least: 10 } as const;

/** A replica leaves after its successor serves, and then drains. */
export function evictionGraceMinutes(
  models: readonly Pick<ModelPlan, "startupBudgetSeconds" | "drainSeconds">[],
): number {
  const seconds = models.map(({ startupBudgetSeconds, drainSeconds }) => startupBudgetSeconds + drainSeconds);
  return Math.min(GRACE_MINUTES.most, Math.max(GRACE_MINUTES.least, ...seconds.map((each) => Math.ceil(each / 60))));
}
