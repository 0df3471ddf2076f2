import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { type Labels, standardLabels } from "../../names/labels";
import { MODEL_STORE_NAMESPACE } from "../../names/namespaces";
import { isCached } from "../../planner/storage";
import type { ModelPlan, StoragePlan } from "../../planner/types";
import type { CertManager } from "../certificates/cert-manager";
import type { Cluster } from "../core/cluster";
import type { OptionsOfGone } from "../core/gone-component";
import { IsolatedNamespace } from "../core/isolated-namespace";
import { jobScripts } from "../core/job-scripts";
import { named } from "../core/known";
import { PlatformComponent } from "../core/platform-component";
import { bundledModels, type ModelBundle } from "./bundled-models";
import type { HubAccess } from "./hub-access";
import type { ManifestPin } from "./manifest-pin";
import { MinioServer } from "./minio-server";
import { ModelStoreAccess } from "./model-store-access";
import { type ModelSyncArgs, modelSync, SYNC_SCRIPTS, syncAccount } from "./model-sync";
import { nodeCache } from "./node-cache";
import { sourceAuthorities, sourceSecret, sourceServer } from "./source-servers";
import { storeCertificates } from "./store-certificates";
import { credentialsSecret } from "./store-client";
import { randomKeys, type StoreKeys } from "./store-keys";
import {
  copiesPrefix,
  hasSyncJob,
  keeperOf,
  keeperPolicy,
  keyPrefix,
  METRICS,
  MODEL_STORE_HOST,
  metricsPolicy,
  modelStorePods,
  NODE_CACHE_READER,
  readerOf,
  readerPolicy,
  readPrefixes,
  WRITER,
  writerPolicy,
} from "./store-layout";
import { storeMetrics } from "./store-metrics";
import { type StoreUser, storeProvisioning } from "./store-provisioning";

export interface ModelStoreArgs {
  /** Says too which of the models go through the store. */
  readonly plan: StoragePlan;
  /** The environment's models. */
  readonly models: readonly ModelPlan[];
  readonly cluster: Pick<Cluster, "storageClass" | "volumesGrow">;
  readonly certManager: CertManager;
  /** Refuse to delete the store, and keep its volume: for production. */
  readonly protect: boolean;
  /** Internet link of the cluster, Gbit/s: sizes the deadline of downloads. */
  readonly registryGbps: number;
  /** How downloads reach the Hugging Face Hub. @default as the internet is reached */
  readonly access?: HubAccess;
  /** Read token of Hugging Face, as a Pulumi secret; needed for gated models. */
  readonly huggingFaceToken?: pulumi.Input<string>;
  /** API keys of servers outside by the name of their secret, as Pulumi secrets: those of buckets and registries among them. @default none */
  readonly apiKeys?: Readonly<Record<string, pulumi.Input<string>>>;
  /** Folder on a node that models are copied from. @default they are downloaded */
  readonly bundle?: ModelBundle;
  /** Who keeps copies of its own data in the store, by name. @default nothing does */
  readonly keepers?: readonly string[];
}

/** Makes a Secret in the store's namespace. @returns its name. */
type NewSecret = (
  name: string,
  content: { readonly type?: string; readonly stringData: Record<string, pulumi.Input<string>> },
) => pulumi.Input<string>;

/** A folder of the bucket, and keys that open nothing else. */
export interface StoreFolder {
  readonly bucket: string;
  /** Key prefix, without slashes at its ends. */
  readonly prefix: string;
  readonly keys: StoreKeys;
  /** What must be done before the keys open it. */
  readonly ready: readonly pulumi.Resource[];
}

/**
 * The environment's object store with its models in it: one server over TLS, one bucket that cannot be read without a key,
 * one read-only user per model, and a Job per Hugging Face model that fills its prefix and reports what it copied to
 * where the model's engine looks. The bucket keeps no versions: old ones would only be unused weights.
 *
 * A model's files change when its Job runs again and its revision names other ones by then: `main` and other branches
 * move, a commit does not.
 */
export class ModelStore extends PlatformComponent {
  readonly bucket: string;
  readonly endpoint = `https://${MODEL_STORE_HOST}:${modelStorePods.port}`;
  private readonly args: ModelStoreArgs;
  private readonly readers = new Map<string, StoreKeys>();
  private readonly keepers = new Map<string, StoreKeys>();
  private cacheKeys: StoreKeys | undefined;
  private readonly provisioned: pulumi.Resource;
  /** What all sync Jobs have in common. */
  private readonly syncs: Omit<ModelSyncArgs, "model" | "modelNamespace" | "dependsOn">;
  private readonly filled = new Map<string, pulumi.Resource>();
  /** Jobs by the prefix that they fill. */
  private readonly copied = new Map<string, pulumi.Resource>();

  constructor(name: string, args: ModelStoreArgs, opts?: pulumi.ComponentResourceOptions) {
    super("storage:ModelStore", name, opts);
    this.args = args;
    this.bucket = args.plan.bucket;
    const models = args.models.filter(({ name }) => args.plan.models.includes(name));
    const { namespace } = new IsolatedNamespace(
      this.child("ns"),
      { namespace: MODEL_STORE_NAMESPACE, keep: args.protect },
      this.childOptions(),
    );
    storeCertificates(this.child("tls"), { namespace, certManager: args.certManager }, this.childOptions());
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
    const writer = this.keys(WRITER);
    const metrics = this.keys(METRICS);
    const provisioning = storeProvisioning(
      this.child("setup"),
      { namespace, bucket: this.bucket, users: this.users(models, writer, metrics), dependsOn: [server] },
      this.childOptions(),
    );
    this.provisioned = provisioning;
    storeMetrics(this.child("metrics"), { namespace, keys: metrics, dependsOn: [provisioning] }, this.childOptions());
    this.syncs = this.syncArgs(namespace, writer);
    this.cache(models.filter(isCached));
    this.registerOutputs({ endpoint: this.endpoint, bucket: this.bucket });
  }

  /**
   * Read-only keys and trust for one model, created in its namespace by the component that serves it; and the Job that
   * fills its prefix, which reports there.
   * @throws Error when the store does not have the model.
   */
  grant(logicalName: string, model: ModelPlan, namespace: pulumi.Input<string>, opts: OptionsOfGone): ModelStoreAccess {
    const keys = this.readers.get(model.name);
    if (keys === undefined) {
      throw new Error(`models.${model.name} is not among the models of the store`);
    }
    const prefix = keyPrefix(model, this.bucket);
    const { certManager } = this.args;
    const account = { namespace: MODEL_STORE_NAMESPACE, serviceAccount: syncAccount(model.name) };
    const access = new ModelStoreAccess(
      logicalName,
      {
        model: model.name,
        namespace,
        bucket: this.bucket,
        prefix,
        keys,
        certManager,
        syncAccount: hasSyncJob(model) ? account : undefined,
      },
      opts,
    );
    this.filled.set(model.name, access.pin ? this.synchronize(model, namespace, access.pin) : this.provisioned);
    return access;
  }

  /**
   * Where one of the keepers has its copies.
   * @throws Error when the store does not have it.
   */
  copiesOf(keeper: string): StoreFolder {
    const keys = this.keepers.get(keeper);
    if (keys === undefined) {
      throw new Error(`${keeper} is not among the keepers of the store`);
    }
    return { bucket: this.bucket, prefix: copiesPrefix(keeper), keys, ready: [this.provisioned] };
  }

  /** What must be done before a model's engine finds its weights, once it was granted them. */
  whenFilled(model: string): pulumi.Resource[] {
    const resource = this.filled.get(model);
    return resource ? [resource] : [];
  }

  private cache(models: readonly ModelPlan[]): void {
    const { bucket, nodeCacheGiB: sizeGiB } = this.args.plan;
    if (this.cacheKeys && sizeGiB !== undefined) {
      const { certManager } = this.args;
      const args = { models, bucket, sizeGiB, keys: this.cacheKeys, certManager, dependsOn: [this.provisioned] };
      nodeCache(this.child("cache"), args, this.childOptions());
    }
  }

  private users(models: readonly ModelPlan[], writer: StoreKeys, metrics: StoreKeys): Record<string, StoreUser> {
    const users: Record<string, StoreUser> = {
      [WRITER]: { keys: writer, policy: writerPolicy(this.bucket) },
      [METRICS]: { keys: metrics, policy: metricsPolicy() },
    };
    for (const model of models) {
      const role = readerOf(model.name);
      const keys = this.keys(role);
      users[role] = { keys, policy: readerPolicy(this.bucket, readPrefixes(model, this.bucket)) };
      this.readers.set(model.name, keys);
    }
    const cached = models.filter(isCached);
    if (cached.length > 0) {
      this.cacheKeys = this.keys(NODE_CACHE_READER);
      const prefixes = cached.map((model) => keyPrefix(model, this.bucket));
      users[NODE_CACHE_READER] = { keys: this.cacheKeys, policy: readerPolicy(this.bucket, prefixes) };
    }
    for (const keeper of this.args.keepers ?? []) {
      const role = keeperOf(keeper);
      const keys = this.keys(role);
      users[role] = { keys, policy: keeperPolicy(this.bucket, copiesPrefix(keeper)) };
      this.keepers.set(keeper, keys);
    }
    return users;
  }

  private keys(role: string): StoreKeys {
    const logicalName = { accessKey: this.child(`name-${role}`), secretKey: this.child(`key-${role}`) };
    return randomKeys(logicalName, this.childOptions());
  }

  private syncArgs(namespace: pulumi.Input<string>, writer: StoreKeys): typeof this.syncs {
    const labels = standardLabels("model-sync", "model-sync");
    const secret: NewSecret = (secretName, content) =>
      named(
        new kubernetes.core.v1.Secret(
          this.child(secretName),
          { metadata: { name: secretName, namespace, labels }, ...content },
          this.childOptions(),
        ),
        secretName,
      );
    const { huggingFaceToken: token, registryGbps, access = {}, bundle } = this.args;
    return {
      namespace,
      bucket: this.bucket,
      writerSecret: secret("sync-keys", { stringData: credentialsSecret(writer) }),
      huggingFaceToken:
        token === undefined ? undefined : { name: secret("hugging-face", { stringData: { token } }), key: "token" },
      scripts: jobScripts(
        this.child("sync-scripts"),
        { namespace, name: "model-sync", folder: "components/storage/scripts", files: SYNC_SCRIPTS },
        this.childOptions(),
      ),
      registryGbps,
      access,
      sourceSecrets: this.sources(namespace, labels, secret),
      bundle:
        bundle && this.args.models.some(hasSyncJob)
          ? bundledModels(this.child("bundle"), { namespace, bundle }, this.childOptions())
          : undefined,
    };
  }

  /** Authorities and keys of the buckets and registries that models are copied from. @returns their Secrets by name. */
  private sources(
    namespace: pulumi.Input<string>,
    labels: Labels,
    secret: NewSecret,
  ): Record<string, pulumi.Input<string>> {
    const { access = {}, apiKeys = {}, models } = this.args;
    const servers = new Map(
      models.flatMap((model) => sourceServer(model, access) ?? []).map((each) => [each.name, each]),
    );
    for (const server of servers.values()) {
      const authorities = sourceAuthorities(server);
      if (authorities) {
        const { name, data } = authorities;
        const metadata = { name, namespace, labels };
        new kubernetes.core.v1.ConfigMap(this.child(name), { metadata, data }, this.childOptions());
      }
    }
    return Object.fromEntries(
      [...servers].flatMap(([name, server]) => {
        const keys = server.secretKey === undefined ? undefined : apiKeys[server.secretKey];
        return keys === undefined ? [] : [[name, secret(name, sourceSecret(server, keys))]];
      }),
    );
  }

  private synchronize(model: ModelPlan, modelNamespace: pulumi.Input<string>, pin: ManifestPin): pulumi.Resource {
    const prefix = keyPrefix(model, this.bucket);
    // Models that share a folder: the second Job finds there what the first has copied, and copies nothing.
    const before = this.copied.get(prefix);
    const dependsOn = [this.provisioned, ...pin.ready, ...(before ? [before] : [])];
    const args = { ...this.syncs, model, modelNamespace, dependsOn };
    const job = modelSync(this.child(`sync-${model.name}`), args, this.childOptions());
    this.copied.set(prefix, job);
    return job;
  }
}
