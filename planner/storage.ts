import { SOURCES } from "../engines/sources";
import { BYTES_PER_GIB } from "../names/units";
import { weightBytes } from "./model/parameters";
import type { ModelRequest, PlanRequest } from "./request";
import type { CapacityProblem, ModelPlan, ModelSource, StoragePlan } from "./types";
import { fileFormat } from "./weight-format";

/** Head room over a model's files: partial downloads, a second revision beside the first (source document, M5). */
const STORAGE_FACTOR = 1.5;
/** Smallest volume that is worth a claim. */
const MINIMUM_GIB = 2;

/** Smallest model store: room for a model that somebody uploads by hand. */
const MINIMUM_STORE_GIB = 10;

/** Size of a model's files, GB: what is downloaded, stored and read, whatever the engine makes of it in memory. */
export function modelFilesGB(model: ModelRequest): number {
  const format = fileFormat(model);
  const { checkpoint } = model.architecture;
  if (format === undefined && checkpoint !== undefined) {
    return checkpoint.fileBytes / 1e9;
  }
  return weightBytes(model.architecture, format).checkpointBytes / 1e9;
}

/** Volume for one copy of a model, whole GiB, from the size of its files in GB. */
export function modelStorageGiB(filesGB: number): number {
  return Math.max(MINIMUM_GIB, Math.ceil((filesGB * 1e9 * STORAGE_FACTOR) / BYTES_PER_GIB));
}

/** Whether an engine reads the model's files from the environment's own bucket; others come from a registry. */
export function goesThroughStore(source: ModelSource): boolean {
  return SOURCES[source.kind].throughStore;
}

export function storedModels<M extends Pick<ModelPlan, "source">>(models: readonly M[]): M[] {
  return models.filter(({ source }) => goesThroughStore(source));
}

/** The model store: what its models need, or more where more is asked for. */
export function planStorage({ storage }: PlanRequest, models: readonly ModelPlan[]): StoragePlan {
  const stored = storedModels(models);
  return {
    models: stored.map((m) => m.name),
    bucket: storage.bucket,
    sizeGiB: Math.max(storage.sizeGiB ?? MINIMUM_STORE_GIB, storeNeedGiB(stored)),
  };
}

/** A store that cannot hold its models: it would fill up in the middle of a download. */
export function storeProblem({ storage }: PlanRequest, models: readonly ModelPlan[]): CapacityProblem | undefined {
  const { sizeGiB } = storage;
  const stored = storedModels(models);
  const needed = storeNeedGiB(stored);
  if (sizeGiB === undefined || sizeGiB >= needed) {
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

function storeNeedGiB(stored: readonly ModelPlan[]): number {
  return stored.reduce((sum, model) => sum + inStoreGiB(model), 0);
}

/** Key prefix in the store of a model that is copied there. */
export function hubPrefix(name: string, domain: string | undefined): string {
  return domain ? `${domain}/${name}` : name;
}

/** A model with its adapters, whole GiB. */
function inStoreGiB({ modelStorageGiB: own, adapters }: ModelPlan): number {
  return own + (adapters?.storageGiB ?? 0);
}
