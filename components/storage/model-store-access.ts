import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { MODEL_LABEL, standardLabels } from "../core/labels";
import { PlatformComponent } from "../core/platform-component";
import { type CertManager, TRUST_SECRET, trustCertificate } from "./store-certificates";
import { credentialsSecret, type StoreClient, storeClient } from "./store-client";
import { readerOf } from "./store-layout";

export interface ModelStoreAccessArgs {
  readonly model: string;
  /** The model's namespace. */
  readonly namespace: pulumi.Input<string>;
  readonly bucket: string;
  /** Key prefix of the model. */
  readonly prefix: string;
  readonly secretKey: pulumi.Input<string>;
  readonly certManager: CertManager;
}

/** What a model's pods need to read their weights, put into their namespace: read-only keys and the store's authority. */
export class ModelStoreAccess extends PlatformComponent {
  readonly bucket: string;
  readonly prefix: string;
  readonly client: StoreClient;

  constructor(name: string, args: ModelStoreAccessArgs, opts?: pulumi.ComponentResourceOptions) {
    super("storage:ModelStoreAccess", name, opts);
    const labels = standardLabels("model-store-access", args.model, { [MODEL_LABEL]: args.model });
    const keys = new kubernetes.core.v1.Secret(
      this.child("keys"),
      {
        metadata: { name: "model-store-keys", namespace: args.namespace, labels },
        stringData: credentialsSecret(readerOf(args.model), args.secretKey),
      },
      this.childOptions(),
    );
    trustCertificate(this.child("trust"), args.namespace, args.certManager, this.childOptions());
    this.bucket = args.bucket;
    this.prefix = args.prefix;
    this.client = storeClient(keys.metadata.name, TRUST_SECRET);
    this.registerOutputs({});
  }
}
