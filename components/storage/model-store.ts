import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import type { ModelPlan, StoragePlan } from "../../planner/types";
import type { Cluster } from "../core/cluster";
import { IsolatedNamespace } from "../core/isolated-namespace";
import { jobScripts } from "../core/job-scripts";
import { standardLabels } from "../core/labels";
import { modelNamespaceName } from "../core/names";
import { type Allowance, internet, podsOf } from "../core/network";
import { PlatformComponent } from "../core/platform-component";
import { MinioServer } from "./minio-server";
import { ModelStoreAccess } from "./model-store-access";
import { ModelSync, SYNC_PODS, SYNC_SCRIPTS } from "./model-sync";
import { type CertManager, StoreCertificates } from "./store-certificates";
import { credentialsSecret } from "./store-client";
import {
  isStored,
  keyPrefix,
  MODEL_STORE_HOST,
  MODEL_STORE_NAMESPACE,
  modelStorePods,
  readerOf,
  readerPolicy,
  WRITER,
  writerPolicy,
} from "./store-layout";
import { StoreProvisioning, type StoreUser } from "./store-provisioning";

export interface ModelStoreArgs {
  readonly plan: Pick<StoragePlan, "bucket" | "sizeGiB">;
  /** The environment's models; those that do not pass through the store are ignored. */
  readonly models: readonly ModelPlan[];
  readonly cluster: Pick<Cluster, "storageClass" | "volumesGrow" | "privateCidrs">;
  readonly certManager: CertManager;
  /** Refuse to delete the store, and keep its volume: for production. */
  readonly protect: boolean;
  /** Internet link of the cluster, Gbit/s: sizes the deadline of downloads. */
  readonly registryGbps: number;
  /** Read token of Hugging Face, as a Pulumi secret; needed for gated models. */
  readonly huggingFaceToken?: pulumi.Input<string>;
  /** Who scrapes the store's metrics. */
  readonly observabilityNamespace: string;
}

/** Connection that a model's namespace grants its pods. */
export const MODEL_STORE_EGRESS: Allowance = {
  name: "model-store",
  pods: {},
  to: [podsOf(modelStorePods)],
  ports: [{ port: modelStorePods.port }],
};

/**
 * The environment's object store with its models in it: MinIO over TLS, one bucket that nobody reads without a key,
 * one read-only user per model, and a Job per Hugging Face model that fills its prefix. The bucket keeps no versions:
 * a model's files never change under their names, so old versions would only be weights that nobody reads.
 */
export class ModelStore extends PlatformComponent {
  readonly bucket: string;
  readonly endpoint = `https://${MODEL_STORE_HOST}:${modelStorePods.port}`;
  private readonly args: ModelStoreArgs;
  private readonly secretKeys = new Map<string, pulumi.Output<string>>();
  private readonly filled = new Map<string, pulumi.Resource>();

  constructor(name: string, args: ModelStoreArgs, opts?: pulumi.ComponentResourceOptions) {
    super("storage:ModelStore", name, opts);
    this.args = args;
    this.bucket = args.plan.bucket;
    const models = args.models.filter(isStored);
    const { namespace } = new IsolatedNamespace(
      this.child("ns"),
      { namespace: MODEL_STORE_NAMESPACE, keep: args.protect, allowances: this.allowances(models) },
      this.childOptions(),
    );
    new StoreCertificates(this.child("tls"), { namespace, certManager: args.certManager }, this.childOptions());
    const server = new MinioServer(
      this.child("minio"),
      {
        namespace,
        sizeGiB: args.plan.sizeGiB,
        storageClass: args.cluster.storageClass,
        volumeGrows: args.cluster.volumesGrow,
        protect: args.protect,
      },
      this.childOptions(),
    );
    const writerKey = this.secretKey(WRITER);
    const provisioning = new StoreProvisioning(
      this.child("setup"),
      { namespace, bucket: this.bucket, users: this.users(models, writerKey), dependsOn: [server] },
      this.childOptions(),
    );
    this.synchronize(models, namespace, writerKey, provisioning.job);
    this.registerOutputs({ endpoint: this.endpoint, bucket: this.bucket });
  }

  /**
   * Read-only keys and trust for one model, created in its namespace by the component that serves it.
   * @throws Error when the store was not told of the model.
   */
  grant(
    logicalName: string,
    model: ModelPlan,
    namespace: pulumi.Input<string>,
    opts: pulumi.ComponentResourceOptions,
  ): ModelStoreAccess {
    const secretKey = this.secretKeys.get(readerOf(model.name));
    if (secretKey === undefined) {
      throw new Error(`models.${model.name} is not among the models of the store`);
    }
    const prefix = keyPrefix(model, this.bucket);
    const { certManager } = this.args;
    return new ModelStoreAccess(
      logicalName,
      { model: model.name, namespace, bucket: this.bucket, prefix, secretKey, certManager },
      opts,
    );
  }

  /** What must be done before a model's engine finds its weights. */
  whenFilled(model: string): pulumi.Resource[] {
    const resource = this.filled.get(model);
    return resource ? [resource] : [];
  }

  private allowances(models: readonly ModelPlan[]): Allowance[] {
    const { podLabels: pods, port } = modelStorePods;
    const ports = [{ port }];
    const readers = models.map(({ name }) => ({ namespace: modelNamespaceName(name) }));
    return [
      // A rule without peers would let in everyone.
      ...(readers.length > 0 ? [{ name: "models", pods, from: readers, ports }] : []),
      { name: "jobs", pods: {}, from: [{ pods: {} }], to: [{ pods }], ports },
      { name: "metrics", pods, from: [{ namespace: this.args.observabilityNamespace }], ports },
      ...(models.some(({ source }) => source.kind === "huggingface") ? [this.downloads()] : []),
    ];
  }

  private downloads(): Allowance {
    const { privateCidrs } = this.args.cluster;
    return { name: "hugging-face", pods: SYNC_PODS, to: [internet(privateCidrs)], ports: [{ port: 443 }] };
  }

  private users(models: readonly ModelPlan[], writerKey: pulumi.Output<string>): Record<string, StoreUser> {
    const users: Record<string, StoreUser> = {
      [WRITER]: { secretKey: writerKey, policy: writerPolicy(this.bucket) },
    };
    for (const model of models) {
      const user = readerOf(model.name);
      const policy = readerPolicy(this.bucket, keyPrefix(model, this.bucket));
      users[user] = { secretKey: this.secretKey(user), policy };
    }
    return users;
  }

  /** A key made once per user; MinIO takes at most 40 characters. */
  private secretKey(user: string): pulumi.Output<string> {
    const { result } = new random.RandomPassword(
      this.child(`key-${user}`),
      { length: 40, special: false },
      this.childOptions(),
    );
    this.secretKeys.set(user, result);
    return result;
  }

  private synchronize(
    models: readonly ModelPlan[],
    namespace: pulumi.Input<string>,
    writerKey: pulumi.Output<string>,
    provisioned: pulumi.Resource,
  ): void {
    const labels = standardLabels("model-sync", "model-sync");
    const secret = (secretName: string, stringData: Record<string, pulumi.Input<string>>) =>
      new kubernetes.core.v1.Secret(
        this.child(secretName),
        { metadata: { name: secretName, namespace, labels }, stringData },
        this.childOptions(),
      ).metadata.name;
    const writerSecret = secret("sync-keys", credentialsSecret(WRITER, writerKey));
    const { huggingFaceToken: token } = this.args;
    const huggingFaceToken =
      token === undefined ? undefined : { name: secret("hugging-face", { token }), key: "token" };
    const scripts = jobScripts(
      this.child("sync-scripts"),
      { namespace, name: "model-sync", folder: "components/storage/scripts", files: SYNC_SCRIPTS },
      this.childOptions(),
    );
    const { registryGbps } = this.args;
    for (const model of models) {
      const sync =
        model.source.kind === "huggingface"
          ? new ModelSync(
              this.child(`sync-${model.name}`),
              {
                namespace,
                model,
                bucket: this.bucket,
                writerSecret,
                huggingFaceToken,
                scripts,
                registryGbps,
                dependsOn: [provisioned],
              },
              this.childOptions(),
            )
          : undefined;
      this.filled.set(model.name, sync?.job ?? provisioned);
    }
  }
}
