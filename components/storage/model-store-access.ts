import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { MODEL_LABEL, standardLabels } from "../../names/labels";
import type { CertManager } from "../certificates/cert-manager";
import { PlatformComponent } from "../core/platform-component";
import { ManifestPin, type ManifestPinArgs } from "./manifest-pin";
import { TRUST_SECRET, trustCertificate } from "./store-certificates";
import { credentialsSecret, type StoreClient, storeClient } from "./store-client";
import type { StoreKeys } from "./store-keys";

export interface ModelStoreAccessArgs {
  readonly model: string;
  /** The model's namespace. */
  readonly namespace: pulumi.Input<string>;
  readonly bucket: string;
  /** Key prefix of the model. */
  readonly prefix: string;
  /** Of the model's reader. */
  readonly keys: StoreKeys;
  readonly certManager: CertManager;
  /** Account that fills the prefix, and its namespace; `undefined` when somebody fills it by hand. */
  readonly syncAccount: ManifestPinArgs["writer"] | undefined;
}

/**
 * What a model's pods need to read their weights, put into their namespace: read-only keys, the store's authority, and
 * the hash of what was copied.
 */
export class ModelStoreAccess extends PlatformComponent {
  readonly bucket: string;
  readonly prefix: string;
  readonly client: StoreClient;
  /** `undefined` for files that no sync Job copies. */
  readonly pin: ManifestPin | undefined;

  constructor(name: string, args: ModelStoreAccessArgs, opts?: pulumi.ComponentResourceOptions) {
    super("storage:ModelStoreAccess", name, opts);
    const labels = standardLabels("model-store-access", args.model, { [MODEL_LABEL]: args.model });
    const keys = new kubernetes.core.v1.Secret(
      this.child("keys"),
      {
        metadata: { name: "model-store-keys", namespace: args.namespace, labels },
        stringData: credentialsSecret(args.keys),
      },
      this.childOptions(),
    );
    trustCertificate(this.child("trust"), args.namespace, args.certManager, this.childOptions());
    this.pin =
      args.syncAccount &&
      new ManifestPin(
        this.child("manifest"),
        { model: args.model, namespace: args.namespace, writer: args.syncAccount },
        this.childOptions(),
      );
    this.bucket = args.bucket;
    this.prefix = args.prefix;
    this.client = storeClient(keys.metadata.name, TRUST_SECRET);
    this.registerOutputs({});
  }
}
