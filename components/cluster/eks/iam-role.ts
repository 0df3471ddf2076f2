import { Policy } from "@pulumi/aws/iam/policy";
import { Role } from "@pulumi/aws/iam/role";
import { RolePolicyAttachment } from "@pulumi/aws/iam/rolePolicyAttachment";
import type * as pulumi from "@pulumi/pulumi";
import type { ManagedPolicyName } from "../../../catalog/aws-managed-policies";
import { PlatformComponent } from "../../core/platform-component";
import { managedPolicyArn } from "./arn";
import type { EksSettings } from "./settings";

export interface IamRoleArgs {
  readonly settings: Pick<EksSettings, "region">;
  readonly description: string;
  /** Trust policy. */
  readonly trust: pulumi.Input<string>;
  /** AWS managed policies. */
  readonly managedPolicies?: readonly ManagedPolicyName[];
  /** Own policy documents, by the suffix of the policy name. */
  readonly documents?: Readonly<Record<string, pulumi.Input<string>>>;
}

/**
 * A role with its policies. Managed, not inline: a role's inline policies share 10,240 characters,
 * nearly filled by Karpenter's; a managed policy has 6,144 (IAM User Guide, "IAM and AWS STS
 * quotas", read 2026-11-23). Pulumi generates the account-wide unique names.
 */
export class IamRole extends PlatformComponent {
  readonly arn: pulumi.Output<string>;
  readonly roleName: pulumi.Output<string>;
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: IamRoleArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:IamRole", name, opts);
    const { settings, description, trust, managedPolicies = [], documents = {} } = args;
    const role = new Role(this.child("role"), { description, assumeRolePolicy: trust }, this.childOptions());
    const attach = (word: string, policyArn: pulumi.Input<string>) =>
      new RolePolicyAttachment(this.child(word), { role: role.name, policyArn }, this.childOptions());
    const attachments = [
      ...managedPolicies.map((policy) => attach(wordOf(policy), managedPolicyArn(settings.region, policy))),
      ...Object.entries(documents).map(([word, policy]) =>
        attach(word, new Policy(this.child(`${word}-policy`), { description, policy }, this.childOptions()).arn),
      ),
    ];
    this.arn = role.arn;
    this.roleName = role.name;
    this.ready = [role, ...attachments];
    this.registerOutputs({});
  }
}

/** Policy name as part of a logical name. */
function wordOf(policy: ManagedPolicyName): string {
  return policy.replaceAll("_", "-").toLowerCase();
}
