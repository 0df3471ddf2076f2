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
 * The keys that encrypt the cluster's secrets, its nodes' disks and its volumes: one of the environment's, or two of our
 * own. Ours outlive the stack: whoever loses them loses every volume and backup that they encrypted.
 */
export class OkeKeys extends PlatformComponent {
  /** Of the cluster's secrets: chosen when the cluster is made, and never again. */
  readonly secretsKeyId: pulumi.Output<string>;
  /** Of boot volumes and of the platform's volumes. */
  readonly volumesKeyId: pulumi.Output<string>;
  /** OCID of the compartment that holds them: policies on keys are written there. */
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
      // The shared kind: a private one is billed by the hour, and all that it would add here is rotation by schedule.
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
            // It never leaves the hardware, and costs nothing more: 20 versions of such keys are free in every tenancy
            // (Oracle's list of Always Free resources, 2026-11-23). It cannot be changed later.
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
