import { isClaim, isFolder, isImageVolume, originOf } from "../../engines/sources";
import { modelNamespaceName } from "../../names/namespaces";
import type { CapacityProblem, DeploymentPlan } from "../../planner/types";

/** Users' volumes and folders: no deployment creates them, and pods wait for them. */
export function mountedClaims({ plan }: { readonly plan: Pick<DeploymentPlan, "models"> }): CapacityProblem[] {
  return plan.models.flatMap(({ name, source, maxReplicas, nodesPerReplica }) => {
    if (isFolder(source)) {
      const message = `${name} mounts the folder ${source.path} of its node: its pods wait on a node without it. All users must be able to read its files (docs/own-weights.md).`;
      return [{ severity: "advisory", rule: "mounted-folder", subject: `models.${name}`, message }];
    }
    if (isImageVolume(source)) {
      const message = `${name} mounts the folder /models of ${originOf(source).name} as an image volume: nodes need containerd 2.1 or CRI-O 1.33, and Kubernetes 1.35 (docs/own-weights.md).`;
      return [{ severity: "advisory", rule: "image-volume", subject: `models.${name}`, message }];
    }
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
