import type { CapacityProblem } from "../../planner/types";
import type { EnvironmentConfig } from "../config";

/** From where the provisioned cluster is reachable. */
export function privateEndpoint({
  environment: { cluster },
}: {
  readonly environment: Pick<EnvironmentConfig, "cluster">;
}): CapacityProblem[] {
  const made = endpointOf(cluster);
  if (made === undefined || made.public) {
    return [];
  }
  return [
    {
      severity: "advisory",
      rule: "private-endpoint",
      subject: made.subject,
      message:
        "the API server has no public address: `pulumi up` makes the cluster from anywhere, and then stops unless it runs where that address answers (docs/clusters.md, Reaching a private API). From outside, split the deployment with scope: cluster and scope: platform, or open the endpoint to your networks with {public: true, allowedCidrs: […]}.",
    },
  ];
}

/** Of the provisioned cluster. */
function endpointOf(
  cluster: EnvironmentConfig["cluster"],
): { readonly subject: string; readonly public: boolean } | undefined {
  if (cluster.kind === "oci" && cluster.oke) {
    return { subject: "cluster.oke.endpoint", public: cluster.oke.endpoint.public };
  }
  return cluster.kind === "aws" && cluster.eks
    ? { subject: "cluster.eks.endpoint", public: cluster.eks.endpoint.public }
    : undefined;
}
