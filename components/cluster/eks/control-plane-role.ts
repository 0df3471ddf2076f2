import * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import { iamDocument, serviceTrust } from "./iam-document";
import { IamRole } from "./iam-role";
import type { EksSettings } from "./settings";

export interface EksControlPlaneRoleArgs {
  readonly settings: Pick<EksSettings, "environment" | "region">;
  readonly secretsKeyArn: pulumi.Input<string>;
  readonly logGroupArn: pulumi.Input<string>;
}

/** Role of EKS in the account: interfaces, security group, secrets key. */
export class EksControlPlaneRole extends PlatformComponent {
  readonly arn: pulumi.Output<string>;
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: EksControlPlaneRoleArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:EksControlPlaneRole", name, opts);
    const { settings, secretsKeyArn, logGroupArn } = args;
    const role = new IamRole(
      this.child("cluster"),
      {
        settings,
        description: `Control plane of the EKS cluster ${settings.environment}`,
        trust: serviceTrust("eks.amazonaws.com"),
        managedPolicies: ["AmazonEKSClusterPolicy"],
        documents: { own: pulumi.all([secretsKeyArn, logGroupArn]).apply(([key, logs]) => document(key, logs)) },
      },
      this.childOptions(),
    );
    this.arn = role.arn;
    this.ready = role.ready;
    this.registerOutputs({});
  }
}

/**
 * Adds the key, which Amazon's managed policy lacks. Denies log group creation: a control plane
 * under deletion would recreate its group with unlimited retention, blocking the next cluster
 * (terraform-aws-modules/terraform-aws-eks#920; main.tf there at 0005984, for both).
 */
function document(secretsKeyArn: string, logGroupArn: string): string {
  return iamDocument([
    {
      Sid: "KeyOfSecrets",
      Effect: "Allow",
      Action: ["kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:ListGrants"],
      Resource: [secretsKeyArn],
    },
    {
      Sid: "LogGroupOnlyOfOurs",
      Effect: "Deny",
      Action: ["logs:CreateLogGroup"],
      Resource: [logGroupArn, `${logGroupArn}:*`],
    },
  ]);
}
