import { compareReleases } from "../../catalog/advisories";
import { EKS_NODE_IMAGE } from "../../catalog/eks";
import type { CapacityProblem } from "../../planner/types";
import type { EnvironmentConfig } from "../config";

/**
 * An older node image than this release pins: kernels, drivers and container runtimes are fixed
 * only in images.
 */
export function eksNodeImage({
  environment: { cluster },
}: {
  readonly environment: Pick<EnvironmentConfig, "cluster">;
}): CapacityProblem[] {
  const said = cluster.kind === "aws" && cluster.provision === "create" ? cluster.eks?.nodeImage : undefined;
  if (said === undefined || compareReleases(said, EKS_NODE_IMAGE) >= 0) {
    return [];
  }
  return [
    {
      severity: "advisory",
      rule: "eks-node-image",
      subject: "cluster.eks.nodeImage",
      message: `${said} is older than ${EKS_NODE_IMAGE}, which this release pins: what was fixed in kernel, driver and runtime since then is not on its nodes. Write ${EKS_NODE_IMAGE} or remove nodeImage; Karpenter replaces the nodes.`,
    },
  ];
}
