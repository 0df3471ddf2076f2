import { createHash } from "node:crypto";
import { AccessEntry } from "@pulumi/aws/eks/accessEntry";
import { AccessPolicyAssociation } from "@pulumi/aws/eks/accessPolicyAssociation";
import type * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import { partitionOf } from "./arn";
import type { EksSettings } from "./settings";

export interface EksAccessArgs {
  readonly settings: Pick<EksSettings, "administrators" | "region">;
  readonly clusterName: pulumi.Input<string>;
}

/**
 * Full rights for each administrator of the environment, none for the cluster's creator. Role ARNs
 * may have a path, as in IAM Identity Center (EKS User Guide, "Create access entries", read
 * 2026-11-23). A recreated role is a different principal and needs a new entry.
 */
export class EksAccess extends PlatformComponent {
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, { settings, clusterName }: EksAccessArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:EksAccess", name, opts);
    const policyArn = `arn:${partitionOf(settings.region)}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy`;
    this.ready = settings.administrators.map((principalArn) => {
      const key = administratorKey(principalArn);
      const entry = new AccessEntry(
        this.child(key),
        { clusterName, principalArn, type: "STANDARD" },
        this.childOptions(),
      );
      return new AccessPolicyAssociation(
        this.child(`${key}-everything`),
        { clusterName, principalArn, policyArn, accessScope: { type: "cluster" } },
        this.childOptions({ dependsOn: [entry] }),
      );
    });
    this.registerOutputs({});
  }
}

/**
 * Keyed by ARN, not by list position: a new first entry changes no other. Two paths may end in the
 * same name.
 */
export function administratorKey(arn: string): string {
  const last = arn
    .slice(arn.lastIndexOf("/") + 1)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 40);
  const trimmed = last.replaceAll(/^-|-$/g, "");
  return [...(trimmed ? [trimmed] : []), createHash("sha256").update(arn).digest("hex").slice(0, 8)].join("-");
}
