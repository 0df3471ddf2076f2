import { isMounted, SOURCES } from "../engines/sources";
import { BYTES_PER_GIB } from "../names/units";
import { weightBytes } from "./model/parameters";
import type { ModelRequest, PlanRequest } from "./request";
import type { StoragePlan } from "./storage-plan";
import type { CapacityProblem, ModelPlan, ModelSource } from "./types";
import { fileFormat } from "./weight-format";

/** Head room for partial downloads and a second revision (source document, M5). */
const STORAGE_FACTOR = 1.5;
/** Smallest useful claim. */
const MINIMUM_GIB = 2;

/** Smallest model store: room for a manual upload. */
const MINIMUM_STORE_GIB = 10;

/** GB to download, store and read, whatever the engine's memory. */
export function modelFilesGB(model: ModelRequest): number {
  const format = fileFormat(model);
  const { checkpoint } = model.architecture;
  if (format === undefined && checkpoint !== undefined) {
    return checkpoint.fileBytes / 1e9;
  }
  return weightBytes(model.architecture, format).checkpointBytes / 1e9;
}

/** Volume for one copy, whole GiB, from GB of files. */
export function modelStorageGiB(filesGB: number): number {
  return Math.max(MINIMUM_GIB, Math.ceil((filesGB * 1e9 * STORAGE_FACTOR) / BYTES_PER_GIB));
}

/** Whether the engine reads from the environment's bucket; others use a registry. */
export function goesThroughStore(source: ModelSource): boolean {
  return SOURCES[source.kind].throughStore && !isMounted(source);
}

/** Whether pods take it from the cache of their node. */
export function isCached({ loading }: { readonly loading: ModelPlan["loading"] }): boolean {
  return loading === "cache";
}

export function storedModels<M extends Pick<ModelPlan, "source">>(models: readonly M[]): M[] {
  return models.filter(({ source }) => goesThroughStore(source));
}

/** As models need, or as configured if more. */
export function planStorage({ storage, models: asked }: PlanRequest, models: readonly ModelPlan[]): StoragePlan {
  const stored = storedModels(models);
  const needed = storeNeedGiB(stored);
  const { backend } = storage;
  return {
    models: stored.map((m) => m.name),
    bucket: storage.bucket,
    ...(backend && { backend }),
    sizeGiB: backend ? 0 : Math.max(storage.sizeGiB ?? MINIMUM_STORE_GIB, needed),
    ...(backend === "bucket" && { bucketGiB: needed }),
    ...(asked.some(isCached) && { nodeCacheGiB: storage.nodeCacheGiB }),
  };
}

/** A store that would fill up during a download. */
export function storeProblem({ storage }: PlanRequest, models: readonly ModelPlan[]): CapacityProblem | undefined {
  const { sizeGiB, backend } = storage;
  const stored = storedModels(models);
  const needed = storeNeedGiB(stored);
  if (backend !== undefined || sizeGiB === undefined || sizeGiB >= needed) {
    return undefined;
  }
  const each = stored.map((model) => `${model.name} ${inStoreGiB(model)}`).join(", ");
  return {
    severity: "mandatory",
    rule: "store-capacity",
    subject: "storage.sizeGiB",
    message: `storage.sizeGiB is ${sizeGiB}; its models take ${needed} GiB, ${STORAGE_FACTOR} times their files: ${each}. Write storage.sizeGiB: ${needed} or more, or remove it: the plan then takes what they need.`,
  };
}

/**
 * Revisions may share a folder and differ in settings only. A revision in its own folder follows a
 * first one, assumed as large.
 */
function storeNeedGiB(stored: readonly ModelPlan[]): number {
  const byFolder = new Map([
    ...stored
      .filter(hasFirstRevision)
      .map((model) => [hubPrefix(model.name, model.domain), model.modelStorageGiB] as const),
    ...stored.map((model) => [folderOf(model), model.modelStorageGiB] as const),
  ]);
  const weights = [...byFolder.values()].reduce((sum, own) => sum + own, 0);
  return stored.reduce((sum, { adapters }) => sum + (adapters?.storageGiB ?? 0), weights);
}

function hasFirstRevision({ storeFolder, revisionOf }: ModelPlan): boolean {
  return storeFolder !== undefined && revisionOf === undefined;
}

function folderOf({ name, domain, source, storeFolder }: ModelPlan): string {
  return source.kind === "bucket" && !source.copied ? source.uri : (storeFolder ?? hubPrefix(name, domain));
}

/** First folders of what the platform keeps in the store besides models. No domain and no model is called so: their names have no underscore. */
export const OWN_FOLDERS = { adapters: "_adapters", copies: "_backups" } as const;

/** Key prefix of a model in the store. */
export function hubPrefix(name: string, domain: string | undefined): string {
  return domain ? `${domain}/${name}` : name;
}

/**
 * Key prefix of a commit. The first keeps the model's default folder; others are in sibling
 * folders, because engines take every weight file below their prefix. Model names have no dot.
 */
export function revisionPrefix(folder: string, commit: string, first: string): string {
  return commit === first ? folder : `${folder}.${commit}`;
}

/** With adapters and the previous revision, whole GiB. */
function inStoreGiB(model: ModelPlan): number {
  const { modelStorageGiB: own, adapters } = model;
  return own * (hasFirstRevision(model) ? 2 : 1) + (adapters?.storageGiB ?? 0);
}
