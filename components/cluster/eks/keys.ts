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
 * The keys that encrypt the cluster's secrets, its nodes' disks and its volumes: one of the environment's, or two of our
 * own. Ours outlive the stack: whoever loses them loses every volume and backup that they encrypted. Their aliases do not,
 * so that the next stack of the same name can have them.
 *
 * The policy of a key of the environment's must let the account decide by IAM, and let Auto Scaling's role in: as
 * `volumesKeyPolicy` does. Nobody can tell here whether it does; machines end before they are ready where it does not.
 */
export class EksKeys extends PlatformComponent {
  readonly secretsKeyArn: pulumi.Output<string>;
  /** Of nodes' disks, of the platform's volumes, and of the bucket for models. */
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
            // The longest: time to notice that something still needs it.
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
