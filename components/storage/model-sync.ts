import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { image } from "../../catalog/images";
import { runsRepositoryCode } from "../../engines/repository-code";
import { ANNOTATIONS, MODEL_LABEL, standardLabels } from "../../names/labels";
import { MODEL_STORE_NAMESPACE } from "../../names/namespaces";
import type { ModelPlan, ModelSource } from "../../planner/types";
import type { PodSelection } from "../core/connections";
import { childrenOfGone, type OptionsOfGone } from "../core/gone-component";
import type { HardenedContainer } from "../core/hardened-pod";
import { runToCompletion } from "../core/job";
import { hashOf, type JobScripts, scriptPath } from "../core/job-scripts";
import { named } from "../core/known";
import { PRIORITY } from "../core/priority-classes";
import { burstable } from "../core/resources";
import { adapterLimits, adaptersToSync } from "./adapters";
import type { MountedBundle } from "./bundled-models";
import { type HubAccess, hubVariables } from "./hub-access";
import { MANIFEST_PIN } from "./manifest-pin";
import { type SourceAccess, sourceAccess, sourceServer } from "./source-servers";
import type { StoreClient } from "./store-client";
import { hasSyncJob, isSynchronized, keyPrefix, synchronizedAdapters } from "./store-layout";
import type { StoreEndpoint } from "./store-server";
import { wantedTemplate } from "./wanted-template";

const APP = "model-sync";

/**
 * All sync pods: the only ones in the store's namespace that reach the internet, where models come from there. Each has an
 * account of its own.
 */
export const syncPods: PodSelection = {
  namespace: MODEL_STORE_NAMESPACE,
  podLabels: { "app.kubernetes.io/name": APP },
};

/** Account of a model's sync Job, which has no right but to report what it copied. */
export function syncAccount(model: string): string {
  return `sync-${model}`;
}

/** Files that the Job runs from. */
export const SYNC_SCRIPTS = [
  "sync.ts",
  "sync-adapters.ts",
  "adapter-files.ts",
  "artifact-layers.ts",
  "artifact-repository.ts",
  "bucket-repository.ts",
  "chat-template.ts",
  "choices.ts",
  "content-id.ts",
  "credentials.ts",
  "folder.ts",
  "hugging-face.ts",
  "kubernetes.ts",
  "layer-archive.ts",
  "model-files.ts",
  "oci-registry.ts",
  "proxy-tunnel.ts",
  "repository.ts",
  "resume.ts",
  "retry.ts",
  "s3.ts",
  "s3-signature.ts",
  "source-access.ts",
  "tar-members.ts",
  "trusted-request.ts",
  "whole-body.ts",
];

const TOKEN_FOLDER = "/etc/hugging-face";

/** The Jobs of all models share the link, which carries less than its nominal rate. A limit, not an estimate. */
const DEADLINE = { efficiency: 0.6, margin: 10, baseSeconds: 900 };

export interface ModelSyncArgs {
  /** Namespace of the store. */
  readonly namespace: pulumi.Input<string>;
  /** A model that a Job copies, or whose adapters it does. */
  readonly model: ModelPlan;
  readonly bucket: string;
  readonly endpoint: StoreEndpoint;
  /** With the writer's keys. */
  readonly client: StoreClient;
  /** Secret and key with the Hugging Face token; public repositories need none. */
  readonly huggingFaceToken: { readonly name: pulumi.Input<string>; readonly key: string } | undefined;
  readonly scripts: JobScripts;
  /** Internet link of the cluster, Gbit/s. */
  readonly registryGbps: number;
  readonly access: HubAccess;
  /** Secrets of buckets and registries elsewhere, by the names of `sourceServer`. */
  readonly sourceSecrets: Readonly<Record<string, pulumi.Input<string>>>;
  /** Where repositories lie on a node. @default they are downloaded */
  readonly bundle: MountedBundle | undefined;
  /** Namespace of the model, where the Job reports the hash of the manifest. */
  readonly modelNamespace: pulumi.Input<string>;
  /** What prepares bucket and writer, and where the Job reports. */
  readonly dependsOn: pulumi.Resource[];
}

/**
 * Copies one model, its adapters, or both from where they are, or from folders of a bundle, into the bucket, streaming. The Job can be
 * interrupted anywhere and goes on with the first file that is not in the store, checks every byte against the checksum
 * that the Hub states, and fails with the name of the file that is missing or wrong.
 *
 * @throws Error when nothing of the model is to be copied.
 */
export function modelSync(name: string, args: ModelSyncArgs, opts: OptionsOfGone): kubernetes.batch.v1.Job {
  const { model, client } = args;
  const options = { ...opts, aliases: childrenOfGone("storage:ModelSync", name, opts) };
  if (!hasSyncJob(model)) {
    throw new Error(
      `models.${model.name}: a Job copies from Hugging Face, buckets elsewhere and registries, and this source is "${model.source.kind}"`,
    );
  }
  const token = args.huggingFaceToken;
  const server = sourceServer(model, args.access);
  const source = server && sourceAccess(server, args.sourceSecrets[server.name]);
  const adapters = synchronizedAdapters(model);
  const account = new kubernetes.core.v1.ServiceAccount(
    `${name}-account`,
    {
      metadata: {
        name: syncAccount(model.name),
        namespace: args.namespace,
        labels: standardLabels(APP, `sync-${model.name}`, { [MODEL_LABEL]: model.name }),
      },
      automountServiceAccountToken: false,
    },
    options,
  );
  return runToCompletion(
    `${name}-copy`,
    {
      namespace: args.namespace,
      app: APP,
      instance: `sync-${model.name}`,
      labels: { [MODEL_LABEL]: model.name },
      podAnnotations: {
        [ANNOTATIONS.configHash]: hashOf([
          args.scripts.hash,
          model.source,
          ...(server ? [server] : []),
          ...(adapters.length > 0 ? [adapters, adapterLimits(model)] : []),
          // Other files of the same branch: the Job runs again.
          ...(args.bundle ? [bundledSums(args.bundle, model)] : []),
        ]),
      },
      deadlineSeconds: syncDeadlineSeconds(filesToSyncGB(model), args.registryGbps),
      dependsOn: args.dependsOn,
      pod: {
        serviceAccountName: named(account, syncAccount(model.name)),
        usesKubernetesApi: true,
        priorityClassName: PRIORITY.batch.name,
        volumes: [
          args.scripts.volume,
          ...client.volumes,
          ...(source?.volumes ?? []),
          ...(args.bundle ? [args.bundle.volume] : []),
          ...(token ? [{ name: "hugging-face", secret: { secretName: token.name } }] : []),
        ],
        containers: [
          ...(model.source.kind === "huggingface" ? [modelContainer(args, client, model.source)] : []),
          ...(source ? [sourceContainer(args, client, source)] : []),
          ...(adapters.length > 0 ? [adaptersContainer(args, client)] : []),
        ],
      },
    },
    options,
  );
}

/** Hashes of the manifests that a model's Job copies by. */
function bundledSums(bundle: MountedBundle, { source, adapters }: ModelPlan): string[] {
  return [source, ...(adapters?.list ?? []).map((adapter) => adapter.source)].flatMap((each) =>
    each.kind === "huggingface" ? [bundle.folderOf(each.repository, each.revision).manifestSha256] : [],
  );
}

function modelContainer(args: ModelSyncArgs, client: StoreClient, source: HubSource): HardenedContainer {
  const { model, bucket } = args;
  const bundled = args.bundle?.folderOf(source.repository, source.revision);
  const template = wantedTemplate(model, source);
  return syncContainer(args, client, {
    name: "sync",
    script: "sync.ts",
    env: [
      { name: "RUN", value: "sync" },
      { name: "REPOSITORY", value: source.repository },
      { name: "REVISION", value: source.revision },
      { name: "BUCKET", value: bucket },
      { name: "PREFIX", value: keyPrefix(model, bucket) },
      { name: "SAFETENSORS_ONLY", value: String(model.loading === "stream") },
      { name: "WITH_CODE", value: String(runsRepositoryCode(model)) },
      ...(template ? [{ name: "TEMPLATE_WANTED", value: JSON.stringify(template) }] : []),
      ...(bundled
        ? [
            { name: "FOLDER", value: bundled.folder },
            { name: "FOLDER_MANIFEST_SHA256", value: bundled.manifestSha256 },
          ]
        : []),
    ],
  });
}

/** Copies from a bucket or registry elsewhere: with its keys alone. */
function sourceContainer(args: ModelSyncArgs, client: StoreClient, source: SourceAccess): HardenedContainer {
  const { model, bucket } = args;
  return syncContainer({ ...args, huggingFaceToken: undefined, bundle: undefined, access: {} }, client, {
    name: "sync",
    script: "sync.ts",
    env: [
      { name: "RUN", value: "sync" },
      ...source.environment,
      { name: "BUCKET", value: bucket },
      { name: "PREFIX", value: keyPrefix(model, bucket) },
      { name: "SAFETENSORS_ONLY", value: String(model.loading === "stream") },
      { name: "WITH_CODE", value: String(runsRepositoryCode(model)) },
    ],
    mounts: source.mounts,
  });
}

function adaptersContainer(args: ModelSyncArgs, client: StoreClient): HardenedContainer {
  const { model, bucket } = args;
  return syncContainer(args, client, {
    name: "sync-adapters",
    script: "sync-adapters.ts",
    env: [
      { name: "RUN", value: "sync-adapters" },
      { name: "ADAPTERS", value: JSON.stringify(adaptersToSync(model, bucket, args.bundle)) },
      { name: "ADAPTER_LIMITS", value: JSON.stringify(adapterLimits(model)) },
      { name: "BUCKET", value: bucket },
    ],
  });
}

type HubSource = Extract<ModelSource, { readonly kind: "huggingface" }>;

interface SyncContainer {
  readonly name: string;
  readonly script: string;
  readonly env: readonly kubernetes.types.input.core.v1.EnvVar[];
  /** Of files that the script reads besides. @default none */
  readonly mounts?: readonly kubernetes.types.input.core.v1.VolumeMount[];
}

/** Copies something from the Hub, or a server elsewhere, into the bucket, and reports what. */
function syncContainer(
  args: ModelSyncArgs,
  client: StoreClient,
  { name, script, env, mounts = [] }: SyncContainer,
): HardenedContainer {
  const token = args.huggingFaceToken;
  return {
    name,
    image: image("node"),
    command: ["node", scriptPath(script)],
    env: [
      ...env,
      { name: "PIN_NAMESPACE", value: args.modelNamespace },
      { name: "PIN_CONFIG_MAP", value: MANIFEST_PIN },
      ...(token ? [{ name: "HF_TOKEN_PATH", value: `${TOKEN_FOLDER}/${token.key}` }] : []),
      ...(args.bundle ? [] : hubVariables(args.access, args.endpoint)),
      ...client.environment,
    ],
    volumeMounts: [
      args.scripts.mount,
      ...client.mounts,
      ...mounts,
      ...(args.bundle ? [args.bundle.mount] : []),
      ...(token ? [{ name: "hugging-face", mountPath: TOKEN_FOLDER, readOnly: true }] : []),
    ],
    writablePaths: ["/tmp"],
    // Four files in flight, each with two parts of 32 MiB and their copies on the way.
    resources: burstable({ cpu: 0.5, memoryGiB: 0.5 }, { cpu: 2, memoryGiB: 2 }),
  };
}

/** At most: the files of adapters are as large as their room allows. */
function filesToSyncGB(model: ModelPlan): number {
  return (
    (isSynchronized(model) ? model.weightsGB : 0) + synchronizedAdapters(model).length * (model.adapters?.fileGB ?? 0)
  );
}

/** Seconds within which a model must have arrived, from its size in GB and the link in Gbit/s. */
export function syncDeadlineSeconds(weightsGB: number, registryGbps: number): number {
  const transfer = (weightsGB * 8) / (registryGbps * DEADLINE.efficiency);
  return Math.ceil(transfer * DEADLINE.margin + DEADLINE.baseSeconds);
}
