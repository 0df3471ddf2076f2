/** What TensorRT-LLM is told of its batches: the memory figure counts with it, and model.yaml says it. */
import type { ServedModel } from "../served-model";

/** Tokens of one step of all requests: TensorRT-LLM's own default (1.2: BuildConfig.max_num_tokens). */
export const MAX_BATCHED_TOKENS = 8192;

/** Part of the GPU's memory that model, activations and cache may take together. */
export const DEFAULT_UTILIZATION = 0.9;

/** Shorter requests than the longest share its memory: more of them may run at once than are planned at full length. */
const LEAST_BATCH = 64;

/** Requests that run at once; others wait. */
export function batchSize({ maxNumSeqs, concurrency }: Pick<ServedModel, "maxNumSeqs" | "concurrency">): number {
  return maxNumSeqs ?? Math.max(LEAST_BATCH, concurrency);
}
