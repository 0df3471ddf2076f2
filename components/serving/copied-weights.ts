import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { image } from "../../catalog/images";
import { MODEL_FOLDER } from "../../names/pod-folders";
import { isCached } from "../../planner/storage";
import type { ModelPlan } from "../../planner/types";
import type { HardenedContainer } from "../core/hardened-pod";
import { hashOf, jobScripts, scriptPath } from "../core/job-scripts";
import { besidesSidecars, gibibytes, guaranteed } from "../core/resources";
import { PIN_FILE, pinFile } from "../storage/manifest-pin";
import type { ModelStoreAccess } from "../storage/model-store-access";
import { isSynchronized } from "../storage/store-layout";
import { CACHE_SCRIPTS, cachedWeights } from "./cached-weights";
import { ADAPTER_SCRIPTS, type AdapterFiles, adapterFiles } from "./lora-adapters";
import { variables } from "./pod-settings";

type EnvVar = kubernetes.types.input.core.v1.EnvVar;
type Volume = kubernetes.types.input.core.v1.Volume;
type VolumeMount = kubernetes.types.input.core.v1.VolumeMount;

/** Files that the copying init container runs from. */
const FETCH_SCRIPTS = [
  "fetch.ts",
  "credentials.ts",
  "model-files.ts",
  "retry.ts",
  "s3.ts",
  "s3-signature.ts",
  "trusted-request.ts",
];

/** How an engine's pod comes by its weights. */
export interface Weights {
  /** A folder, or an `s3://` URI. */
  readonly location: string;
  readonly initContainers: readonly HardenedContainer[];
  /** Of the engine's container. */
  readonly environment: readonly EnvVar[];
  readonly mounts: readonly VolumeMount[];
  readonly volumes: readonly Volume[];
  /** A change replaces pods. */
  readonly hash: string;
}

/** Common to containers that copy. */
export interface StoreFetch {
  readonly mounts: readonly VolumeMount[];
  /** Of the pod, for these mounts. */
  readonly volumes: readonly Volume[];
  /** Of their scripts. */
  readonly hash: string;
}

export function storeFetch(
  logicalName: string,
  model: ModelPlan,
  namespace: pulumi.Input<string>,
  access: ModelStoreAccess,
  opts: pulumi.CustomResourceOptions,
): StoreFetch {
  const files = new Set([
    ...(isCached(model) ? CACHE_SCRIPTS : FETCH_SCRIPTS),
    ...(model.adapters ? [...FETCH_SCRIPTS, ...ADAPTER_SCRIPTS] : []),
  ]);
  const scripts = jobScripts(
    logicalName,
    { namespace, name: "fetch-weights", folder: "components/storage/scripts", files: [...files] },
    opts,
  );
  const pin = access.pin && pinFile();
  // The node's cache reads the store, not the pod.
  const client = isCached(model) && !model.adapters ? { mounts: [], volumes: [] } : access.client;
  return {
    mounts: [scripts.mount, ...client.mounts, ...(pin ? [pin.mount] : [])],
    volumes: [scripts.volume, ...client.volumes, ...(pin ? [pin.volume] : [])],
    hash: scripts.hash,
  };
}

/** Copies model and adapters before the engine starts. */
export function localWeights(
  logicalName: string,
  model: ModelPlan,
  namespace: pulumi.Input<string>,
  access: ModelStoreAccess,
  opts: pulumi.CustomResourceOptions,
): Weights {
  const fetch = storeFetch(logicalName, model, namespace, access, opts);
  const weights = isCached(model)
    ? cachedWeights(logicalName, model, namespace, fetch, opts)
    : copiedWeights(model, access, fetch);
  return model.adapters ? withAdapters(weights, adapterFiles(model, model.adapters, access, fetch.mounts)) : weights;
}

/** An emptyDir uses the node's disk (NVMe if present), and counts as ephemeral storage. */
function copiedWeights(model: ModelPlan, access: ModelStoreAccess, { mounts, volumes, hash }: StoreFetch): Weights {
  const { cpu, memoryGiB, ephemeralStorageGiB } = besidesSidecars(model);
  const fetch: HardenedContainer = {
    name: "fetch-weights",
    image: image("node"),
    command: ["node", scriptPath("fetch.ts")],
    env: [
      ...variables({
        RUN: "fetch",
        BUCKET: access.bucket,
        PREFIX: access.prefix,
        TARGET: MODEL_FOLDER,
        // Manual folders have no manifest.
        ...(isSynchronized(model) && { MANIFEST_PIN: PIN_FILE }),
      }),
      ...access.client.environment,
    ],
    volumeMounts: [...mounts, { name: "model", mountPath: MODEL_FOLDER }],
    writablePaths: ["/tmp"],
    // At most the engine's: a pod requests the maximum of both.
    resources: guaranteed({ cpu: Math.min(8, cpu), memoryGiB: Math.min(2, memoryGiB), ephemeralStorageGiB }),
  };
  return {
    location: MODEL_FOLDER,
    initContainers: [fetch],
    environment: [],
    mounts: [{ name: "model", mountPath: MODEL_FOLDER, readOnly: true }],
    volumes: [...volumes, { name: "model", emptyDir: { sizeLimit: gibibytes(model.modelStorageGiB) } }],
    hash: hashOf([hash, model.source]),
  };
}

/** Adapters come after the weights. */
export function withAdapters(weights: Weights, adapters: AdapterFiles): Weights {
  return {
    ...weights,
    initContainers: [...weights.initContainers, adapters.container],
    mounts: [...weights.mounts, adapters.mount],
    volumes: [...weights.volumes, adapters.volume],
    hash: hashOf([weights.hash, adapters.hash]),
  };
}
