/** Batch limits of TensorRT-LLM, used in the memory estimate and model.yaml. */
import type { ServedModel } from "../served-model";

/** Tokens per step of all requests: TensorRT-LLM's default (1.2: BuildConfig.max_num_tokens). */
export const MAX_BATCHED_TOKENS = 8192;

/** Share of GPU memory for model, activations and cache. */
export const DEFAULT_UTILIZATION = 0.9;

/** Shorter requests use less memory: more may run at once than planned at full length. */
const LEAST_BATCH = 64;

/** Concurrent requests; others wait. */
export function batchSize({ maxNumSeqs, concurrency }: Pick<ServedModel, "maxNumSeqs" | "concurrency">): number {
  return maxNumSeqs ?? Math.max(LEAST_BATCH, concurrency);
}
