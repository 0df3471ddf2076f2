import type * as pulumi from "@pulumi/pulumi";
import { serviceTrust } from "./iam-document";
import { IamRole } from "./iam-role";
import type { EksSettings } from "./settings";

/**
 * Permissions of every node: find its cluster and pull images. Shells: `kubectl debug node` instead
 * of Systems Manager.
 */
export const NODE_POLICIES = ["AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly"] as const;

/** Role of managed group nodes. EKS creates its access entry. */
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
