import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { type Labels, standardLabels } from "../../names/labels";
import { MODEL_STORE_NAMESPACE } from "../../names/namespaces";
import { isCached } from "../../planner/storage";
import type { StoragePlan } from "../../planner/storage-plan";
import type { ModelPlan } from "../../planner/types";
import type { CertManager } from "../certificates/cert-manager";
import type { Cluster } from "../core/cluster";
import type { OptionsOfGone } from "../core/gone-component";
import { IsolatedNamespace } from "../core/isolated-namespace";
import { jobScripts } from "../core/job-scripts";
import { named } from "../core/known";
import { PlatformComponent } from "../core/platform-component";
import { bucketServer } from "./bucket-server";
import { bundledModels, type ModelBundle } from "./bundled-models";
import type { HubAccess } from "./hub-access";
import type { ManifestPin } from "./manifest-pin";
import { minioStore } from "./minio-store";
import { ModelStoreAccess } from "./model-store-access";
import { type ModelSyncArgs, modelSync, SYNC_SCRIPTS, syncAccount } from "./model-sync";
import { nodeCache } from "./node-cache";
import { sourceAuthorities, sourceSecret, sourceServer } from "./source-servers";
import { credentialsSecret, storeClient } from "./store-client";
import type { StoreKeys } from "./store-keys";
import { copiesPrefix, hasSyncJob, keeperOf, keyPrefix, NODE_CACHE_READER, readerOf, WRITER } from "./store-layout";
import { storeRoles } from "./store-roles";
import type { StoreBucket, StoreServer } from "./store-server";

export interface ModelStoreArgs {
  /** Says too which of the models go through the store. */
  readonly plan: StoragePlan;
  /** The store, where it is elsewhere. @default a server in the cluster */
  readonly storeBucket?: StoreBucket | undefined;
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
  readonly server: StoreServer;
}

/**
 * The environment's object store with its models in it: one bucket that cannot be read without a key, and a Job per model
 * of a source elsewhere that fills its prefix and reports what it copied to where the model's engine looks. The bucket of
 * the server in the cluster keeps no versions: old ones would only be unused weights.
 *
 * A model's files change when its Job runs again and its revision names other ones by then: `main` and other branches
 * move, a commit does not.
 */
export class ModelStore extends PlatformComponent {
  readonly bucket: string;
  private readonly args: ModelStoreArgs;
  private readonly server: StoreServer;
  /** What all sync Jobs have in common. Undefined: nothing is written to the store. */
  private readonly syncs: Omit<ModelSyncArgs, "model" | "modelNamespace" | "dependsOn"> | undefined;
  private readonly filled = new Map<string, readonly pulumi.Resource[]>();
  /** Jobs by the prefix that they fill. */
  private readonly copied = new Map<string, pulumi.Resource>();

  constructor(name: string, args: ModelStoreArgs, opts?: pulumi.ComponentResourceOptions) {
    super("storage:ModelStore", name, opts);
    this.args = args;
    const { plan, storeBucket: elsewhere, cluster, certManager, protect, apiKeys: secrets = {}, keepers = [] } = args;
    const { bucket, sizeGiB } = plan;
    this.bucket = bucket;
    const models = args.models.filter(({ name }) => plan.models.includes(name));
    const { namespace } = new IsolatedNamespace(
      this.child("ns"),
      { namespace: MODEL_STORE_NAMESPACE, keep: protect },
      this.childOptions(),
    );
    const isFilled = elsewhere === undefined || elsewhere.writer !== undefined;
    const roles = storeRoles(bucket, models, keepers, isFilled);
    this.server = elsewhere
      ? bucketServer(name, { bucket: elsewhere, secrets, namespace, roles }, this.childOptions())
      : minioStore(
          (suffix) => this.child(suffix),
          { namespace, bucket, sizeGiB, cluster, certManager, protect, roles },
          this.childOptions(),
        );
    this.syncs = isFilled ? this.syncArgs(namespace) : undefined;
    this.cache(models.filter(isCached));
    this.registerOutputs({ endpoint: this.server.url, bucket });
  }

  /**
   * Read-only keys and trust for one model, created in its namespace by the component that serves it; and the Job that
   * fills its prefix, which reports there.
   * @throws Error when the store does not have the model.
   */
  grant(logicalName: string, model: ModelPlan, namespace: pulumi.Input<string>, opts: OptionsOfGone): ModelStoreAccess {
    if (!this.args.plan.models.includes(model.name)) {
      throw new Error(`models.${model.name} is not among the models of the store`);
    }
    const { server } = this;
    const prefix = keyPrefix(model, this.bucket);
    const account = { namespace: MODEL_STORE_NAMESPACE, serviceAccount: syncAccount(model.name) };
    const access = new ModelStoreAccess(
      logicalName,
      {
        model: model.name,
        namespace,
        bucket: this.bucket,
        prefix,
        keys: server.keysOf(readerOf(model.name)),
        server,
        syncAccount: hasSyncJob(model) ? account : undefined,
      },
      opts,
    );
    this.filled.set(model.name, access.pin ? [this.synchronize(model, namespace, access.pin)] : server.ready);
    return access;
  }

  /**
   * Where one of the keepers has its copies.
   * @throws Error when the store does not have it.
   */
  copiesOf(keeper: string): StoreFolder {
    if (!this.args.keepers?.includes(keeper)) {
      throw new Error(`${keeper} is not among the keepers of the store`);
    }
    const { bucket, server } = this;
    return { bucket, prefix: copiesPrefix(keeper), keys: server.keysOf(keeperOf(keeper)), server };
  }

  /** What must be done before a model's engine finds its weights, once it was granted them. */
  whenFilled(model: string): pulumi.Resource[] {
    return [...(this.filled.get(model) ?? [])];
  }

  private cache(models: readonly ModelPlan[]): void {
    const { bucket, nodeCacheGiB: sizeGiB } = this.args.plan;
    if (models.length > 0 && sizeGiB !== undefined) {
      const { server } = this;
      const args = { models, bucket, sizeGiB, keys: server.keysOf(NODE_CACHE_READER), server };
      nodeCache(this.child("cache"), args, this.childOptions());
    }
  }

  private syncArgs(namespace: pulumi.Input<string>): typeof this.syncs {
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
      endpoint: this.server,
      client: storeClient(
        secret("sync-keys", { stringData: credentialsSecret(this.server.keysOf(WRITER)) }),
        this.server,
        this.server.authority,
      ),
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
    if (this.syncs === undefined) {
      throw new Error(`models.${model.name}: nothing is written to the store; validation should have refused it`);
    }
    const prefix = keyPrefix(model, this.bucket);
    // Models that share a folder: the second Job finds there what the first has copied, and copies nothing.
    const before = this.copied.get(prefix);
    const dependsOn = [...this.server.ready, ...pin.ready, ...(before ? [before] : [])];
    const args = { ...this.syncs, model, modelNamespace, dependsOn };
    const job = modelSync(this.child(`sync-${model.name}`), args, this.childOptions());
    this.copied.set(prefix, job);
    return job;
  }
}
