import { bytesPerGiB } from "./memory/units";
import type { ModelSource } from "./types";

/** Head room over a model's bytes: partial downloads, a second revision beside the first (source document, M5). */
export const STORAGE_FACTOR = 1.5;
/** Smallest volume that is worth a claim. */
const MINIMUM_GIB = 2;

/** Smallest model store: room for a model that somebody uploads by hand. */
export const MINIMUM_STORE_GIB = 10;

/** Volume for one copy of a model, whole GiB, from its size in GB. */
export function modelStorageGiB(weightsGB: number): number {
  return Math.max(MINIMUM_GIB, Math.ceil((weightsGB * 1e9 * STORAGE_FACTOR) / bytesPerGiB));
}

/** Whether an engine reads the model's files from the environment's own bucket; Ollama pulls from its registry. */
export function goesThroughStore(source: ModelSource): boolean {
  return source.kind !== "ollama";
}
