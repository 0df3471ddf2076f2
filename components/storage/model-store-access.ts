import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { MODEL_LABEL, standardLabels } from "../core/labels";
import { PlatformComponent } from "../core/platform-component";
import { CA_FILE, type CertManager, caFile, trustCertificate } from "./store-certificates";
import { MODEL_STORE_HOST, modelStorePods, readerOf } from "./store-layout";

type EnvVar = kubernetes.types.input.core.v1.EnvVar;

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
  /** The variables that S3 clients read. */
  readonly environment: readonly EnvVar[];
  readonly volume: kubernetes.types.input.core.v1.Volume;
  readonly mount: kubernetes.types.input.core.v1.VolumeMount;

  constructor(name: string, args: ModelStoreAccessArgs, opts?: pulumi.ComponentResourceOptions) {
    super("storage:ModelStoreAccess", name, opts);
    const labels = standardLabels("model-store-access", args.model, { [MODEL_LABEL]: args.model });
    const keys = new kubernetes.core.v1.Secret(
      this.child("keys"),
      {
        metadata: { name: "model-store-keys", namespace: args.namespace, labels },
        stringData: { AWS_ACCESS_KEY_ID: readerOf(args.model), AWS_SECRET_ACCESS_KEY: args.secretKey },
      },
      this.childOptions(),
    );
    trustCertificate(this.child("trust"), args.namespace, args.certManager, this.childOptions());
    this.bucket = args.bucket;
    this.prefix = args.prefix;
    this.environment = storeEnvironment(keys.metadata.name);
    const ca = caFile();
    this.volume = ca.volume;
    this.mount = ca.mount;
    this.registerOutputs({});
  }
}

/** Endpoint, keys (from a Secret with the AWS names) and trust, for AWS SDKs, the RunAI streamer and our Node scripts. */
export function storeEnvironment(secretName: pulumi.Input<string>): EnvVar[] {
  const fromSecret = (key: string): EnvVar => ({ name: key, valueFrom: { secretKeyRef: { name: secretName, key } } });
  return [
    fromSecret("AWS_ACCESS_KEY_ID"),
    fromSecret("AWS_SECRET_ACCESS_KEY"),
    { name: "AWS_ENDPOINT_URL", value: `https://${MODEL_STORE_HOST}:${modelStorePods.port}` },
    { name: "AWS_DEFAULT_REGION", value: "us-east-1" },
    { name: "AWS_CA_BUNDLE", value: CA_FILE },
    { name: "NODE_EXTRA_CA_CERTS", value: CA_FILE },
  ];
}
