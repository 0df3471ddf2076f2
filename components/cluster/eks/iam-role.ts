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
  /** Document that says who may work as it. */
  readonly trust: pulumi.Input<string>;
  /** Managed policies of AWS. */
  readonly managedPolicies?: readonly ManagedPolicyName[];
  /** Documents of our own by a word each, which names their policies. */
  readonly documents?: Readonly<Record<string, pulumi.Input<string>>>;
}

/**
 * A role with its policies. Ours are policies of their own and not inline: all inline ones of a role share 10,240
 * characters, which Karpenter's would nearly fill, and a policy of its own has 6,144 (IAM User Guide, "IAM and AWS STS
 * quotas", read 2026-11-23). Names are made up by Pulumi: those of roles and policies are the account's, in all regions.
 */
export class IamRole extends PlatformComponent {
  readonly arn: pulumi.Output<string>;
  readonly roleName: pulumi.Output<string>;
  /** The role with all of its rights. */
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

/** A policy's name as a part of a logical name. */
function wordOf(policy: ManagedPolicyName): string {
  return policy.replaceAll("_", "-").toLowerCase();
}
