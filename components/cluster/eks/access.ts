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
 * Who may do everything in the cluster: each administrator of the environment, and nobody for having made it. ARNs of roles
 * may have a path, such as those of IAM Identity Center (EKS User Guide, "Create access entries", read 2026-11-23). A role
 * that was deleted and made again under its old name is another one to EKS: its entry has to be made again too.
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

/** By the ARN and not by its place in the list: a new one in front changes no other. Two paths may have one last name. */
export function administratorKey(arn: string): string {
  const last = arn
    .slice(arn.lastIndexOf("/") + 1)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 40);
  const trimmed = last.replaceAll(/^-|-$/g, "");
  return [...(trimmed ? [trimmed] : []), createHash("sha256").update(arn).digest("hex").slice(0, 8)].join("-");
}
