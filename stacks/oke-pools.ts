import type { NodeMaker, OkePool } from "../components/cluster/oke/settings";
import { bootVolumeNeed } from "../planner/boot-volume";
import type { DeploymentPlan, ModelPlan, PoolPlan } from "../planner/types";
import type { PoolConfig } from "./config";

/** The node pools of a plan, with what their sections say for whoever makes them. */
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
      // A capacity block is Amazon's: validation refuses it here.
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

/** Node pools know neither cluster networks nor the platform settings of a machine (`@pulumi/oci` 4.20, NodePoolArgs). */
function nodeMaker({ confidential }: Pick<PoolPlan, "confidential">, rdma: PoolConfig["rdma"]): NodeMaker {
  if (rdma?.mode === "cluster-network") {
    return "cluster-network";
  }
  return confidential ? "instance-pool" : "node-pool";
}

/** OKE's longest, and what platform pods alone need. */
const GRACE_MINUTES = { most: 60, least: 10 } as const;

/** A replica leaves once its successor serves, and then finishes its requests. */
export function evictionGraceMinutes(
  models: readonly Pick<ModelPlan, "startupBudgetSeconds" | "drainSeconds">[],
): number {
  const seconds = models.map(({ startupBudgetSeconds, drainSeconds }) => startupBudgetSeconds + drainSeconds);
  return Math.min(GRACE_MINUTES.most, Math.max(GRACE_MINUTES.least, ...seconds.map((each) => Math.ceil(each / 60))));
}
