import { Key } from "@pulumi/oci/kms/key";
import { Vault } from "@pulumi/oci/kms/vault";
import * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import type { OkeSettings } from "./settings";
import { environmentTags } from "./tags";

export interface OkeKeysArgs {
  readonly settings: Pick<
    OkeSettings,
    "environment" | "compartmentId" | "encryptionKeyId" | "encryptionKeyCompartmentId"
  >;
}

/**
 * Keys for secrets, node disks and volumes: an existing key, or two new ones. New keys outlive the
 * stack: losing them means losing every volume and backup.
 */
export class OkeKeys extends PlatformComponent {
  /** Key of the cluster's secrets, fixed at creation. */
  readonly secretsKeyId: pulumi.Output<string>;
  /** Key of boot volumes and platform volumes. */
  readonly volumesKeyId: pulumi.Output<string>;
  /** OCID of the keys' compartment, where policies on keys are created. */
  readonly compartmentId: string;

  constructor(name: string, { settings }: OkeKeysArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:OkeKeys", name, opts);
    const { compartmentId, encryptionKeyId, encryptionKeyCompartmentId } = settings;
    if (encryptionKeyId !== undefined) {
      this.compartmentId = encryptionKeyCompartmentId ?? compartmentId;
      this.secretsKeyId = pulumi.output(encryptionKeyId);
      this.volumesKeyId = this.secretsKeyId;
    } else {
      this.compartmentId = compartmentId;
      const kept = this.childOptions({ protect: true, retainOnDelete: true });
      const tagged = { compartmentId, freeformTags: environmentTags(settings) };
      const displayName = (of: string) => `${settings.environment}-${of}`;
      // A shared vault: a private one is billed hourly and would only add scheduled rotation.
      const vault = new Vault(
        this.child("vault"),
        { ...tagged, displayName: displayName("vault"), vaultType: "DEFAULT" },
        kept,
      );
      const key = (of: string) =>
        new Key(
          this.child(of),
          {
            ...tagged,
            displayName: displayName(of),
            keyShape: { algorithm: "AES", length: 32 },
            // HSM keys never leave the hardware. 20 versions per tenancy are free (Oracle's list of
            // Always Free resources, 2026-11-23). Immutable.
            protectionMode: "HSM",
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
