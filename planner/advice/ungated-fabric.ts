import { whyUngated } from "../fabric-gate";
import type { CapacityProblem, DeploymentPlan } from "../types";

/** Models on an RDMA network that is not tested before use. */
export function ungatedFabric({
  plan,
}: {
  readonly plan: Pick<DeploymentPlan, "pools" | "models">;
}): CapacityProblem[] {
  return plan.pools.flatMap((pool): CapacityProblem[] => {
    const reason = whyUngated(pool);
    const crossing = plan.models.filter(({ pool: at, nodesPerReplica }) => at === pool.name && nodesPerReplica > 1);
    if (reason === undefined || crossing.length === 0) {
      return [];
    }
    const names = crossing.map(({ name }) => name).join(", ");
    return [
      {
        severity: "advisory",
        rule: "fabric-gate",
        subject: `pools.${pool.name}`,
        message: `Nothing tries the RDMA network of its nodes before ${names} uses it: ${reason}. A bad link shows as slow or hanging replicas.`,
        ...(pool.minNodes < 2 && { remedies: [`write pools.${pool.name}.minNodes: 2`] }),
      },
    ];
  });
}
