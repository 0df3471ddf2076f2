import { getCallerIdentityOutput } from "@pulumi/aws/getCallerIdentity";
import { Alias } from "@pulumi/aws/kms/alias";
import { Key } from "@pulumi/aws/kms/key";
import * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import { partitionOf } from "./arn";
import { type KeyAccount, secretsKeyPolicy, volumesKeyPolicy } from "./key-policies";
import type { EksSettings } from "./settings";

export interface EksKeysArgs {
  readonly settings: Pick<EksSettings, "environment" | "region" | "encryptionKeyArn">;
}

/**
 * Keys for secrets, node disks and volumes: an existing key, or two new ones. New keys outlive the
 * stack: losing them means losing every volume and backup. Aliases do not, so that a new stack can
 * reuse them.
 *
 * The policy of an existing key must admit IAM and Auto Scaling's role, as `volumesKeyPolicy` does.
 * Unchecked here; otherwise machines end before they are ready.
 */
export class EksKeys extends PlatformComponent {
  readonly secretsKeyArn: pulumi.Output<string>;
  /** Key of node disks, platform volumes and the model bucket. */
  readonly volumesKeyArn: pulumi.Output<string>;

  constructor(name: string, { settings }: EksKeysArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:EksKeys", name, opts);
    const { environment, region, encryptionKeyArn } = settings;
    if (encryptionKeyArn !== undefined) {
      this.secretsKeyArn = pulumi.output(encryptionKeyArn);
      this.volumesKeyArn = this.secretsKeyArn;
    } else {
      const account = getCallerIdentityOutput({}, this.childOptions()).apply(
        ({ accountId }): KeyAccount => ({ accountId, partition: partitionOf(region) }),
      );
      const key = (of: string, description: string, policy: (account: KeyAccount) => string) => {
        const made = new Key(
          this.child(of),
          {
            description,
            policy: account.apply(policy),
            enableKeyRotation: true,
            // The maximum: time to notice that data still needs the key.
            deletionWindowInDays: 30,
            tags: { Name: `${environment}-${of}` },
          },
          this.childOptions({ protect: true, retainOnDelete: true }),
        );
        new Alias(
          this.child(`${of}-alias`),
          { name: `alias/${environment}-${of}`, targetKeyId: made.keyId },
          this.childOptions(),
        );
        return made.arn;
      };
      this.secretsKeyArn = key("secrets", `Secrets of the cluster ${environment}`, secretsKeyPolicy);
      this.volumesKeyArn = key("volumes", `Disks, volumes and models of the cluster ${environment}`, volumesKeyPolicy);
    }
    this.registerOutputs({});
  }
}
