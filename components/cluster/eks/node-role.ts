import type * as pulumi from "@pulumi/pulumi";
import { serviceTrust } from "./iam-document";
import { IamRole } from "./iam-role";
import type { EksSettings } from "./settings";

/**
 * What every node may do: look up its cluster and pull images. Pods' network is the right of the CNI's own service account,
 * and nobody opens a shell on nodes by Systems Manager: `kubectl debug node` does.
 */
export const NODE_POLICIES = ["AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly"] as const;

/** Role of the nodes of managed groups. EKS lets nodes with it in by itself. */
export function nodeRole(
  name: string,
  settings: Pick<EksSettings, "environment" | "region">,
  opts?: pulumi.ComponentResourceOptions,
): IamRole {
  return new IamRole(
    name,
    {
      settings,
      description: `Nodes of managed groups of ${settings.environment}`,
      trust: serviceTrust("ec2.amazonaws.com"),
      managedPolicies: NODE_POLICIES,
    },
    opts,
  );
}
