import { isClaim } from "../../engines/sources";
import { modelNamespaceName } from "../../names/namespaces";
import type { CapacityProblem, DeploymentPlan } from "../../planner/types";

/** Users' volumes: no deployment creates their claims, and pods wait for them. */
export function mountedClaims({ plan }: { readonly plan: Pick<DeploymentPlan, "models"> }): CapacityProblem[] {
  return plan.models.flatMap(({ name, source, maxReplicas, nodesPerReplica }) => {
    if (!isClaim(source)) {
      return [];
    }
    const isOnManyNodes = maxReplicas * nodesPerReplica > 1;
    const modes = isOnManyNodes ? "ReadOnlyMany or ReadWriteMany" : "ReadOnlyMany, ReadWriteMany or ReadWriteOnce";
    return [
      {
        severity: "advisory",
        rule: "mounted-claim",
        subject: `models.${name}`,
        message: `${name} mounts the claim ${source.claim} of namespace ${modelNamespaceName(name)}, which this deployment does not make: its pods wait until it is bound. Access modes: ${modes} (docs/own-weights.md).`,
      } satisfies CapacityProblem,
    ];
  });
}
