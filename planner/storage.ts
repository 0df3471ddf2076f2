import { SOURCES } from "../engines/sources";
import { BYTES_PER_GIB } from "../names/units";
import { weightBytes } from "./model/parameters";
import type { ModelRequest } from "./request";
import type { ModelPlan, ModelSource } from "./types";
import { fileFormat } from "./weight-format";

/** Head room over a model's files: partial downloads, a second revision beside the first (source document, M5). */
const STORAGE_FACTOR = 1.5;
/** Smallest volume that is worth a claim. */
const MINIMUM_GIB = 2;

/** Smallest model store: room for a model that somebody uploads by hand. */
export const MINIMUM_STORE_GIB = 10;

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

/** Key prefix in the store of a model that is copied there. */
export function hubPrefix(name: string, domain: string | undefined): string {
  return domain ? `${domain}/${name}` : name;
}
