import * as kms from "@pulumi/oci/kms";
import * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import type { OkeSettings } from "./settings";

export interface OkeKeysArgs {
  readonly settings: Pick<OkeSettings, "compartmentId" | "encryptionKeyId">;
}

/** The keys that encrypt the cluster's secrets, its nodes' disks and its volumes. */
export class OkeKeys extends PlatformComponent {
  /** Of the cluster's secrets: chosen when the cluster is made, and never again. */
  readonly secretsKeyId: pulumi.Output<string>;
  /** Of boot volumes and of the platform's volumes. */
  readonly volumesKeyId: pulumi.Output<string>;

  constructor(name: string, { settings }: OkeKeysArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:OkeKeys", name, opts);
    const { compartmentId, encryptionKeyId } = settings;
    if (encryptionKeyId !== undefined) {
      this.secretsKeyId = pulumi.output(encryptionKeyId);
      this.volumesKeyId = this.secretsKeyId;
    } else {
      const kept = this.childOptions({ protect: true, retainOnDelete: true });
      const vault = new kms.Vault(
        this.child("vault"),
        { compartmentId, displayName: name, vaultType: "DEFAULT" },
        kept,
      );
      const key = (of: string) =>
        new kms.Key(
          this.child(of),
          {
            compartmentId,
            displayName: `${name}-${of}`,
            keyShape: { algorithm: "AES", length: 32 },
            managementEndpoint: vault.managementEndpoint,
          },
          kept,
        ).id;
      this.secretsKeyId = key("secrets");
      this.volumesKeyId = key("volumes");
    }
    this.registerOutputs({});
  }
}
