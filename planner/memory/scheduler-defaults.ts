/** vLLM's scheduler limits when unset: they decide the activation memory. */

export interface SchedulerLimits {
  /** --max-num-seqs */
  readonly maxNumSeqs: number;
  /** --max-num-batched-tokens */
  readonly maxNumBatchedTokens: number;
}

/**
 * Defaults of the API server by card: get_batch_defaults in vllm/engine/arg_utils.py (0.33.0, the first two rows
 * unchanged since 0.8).
 * @param gpuMemoryGiB memory of the card as the driver reports it
 */
export function schedulerDefaults(gpuMemoryGiB: number, gpuModel?: string): SchedulerLimits {
  const slow = /a100|gb10/i.test(gpuModel ?? "");
  if (gpuMemoryGiB >= 160) return { maxNumSeqs: 1024, maxNumBatchedTokens: 16384 };
  if (gpuMemoryGiB >= 70 && !slow) return { maxNumSeqs: 1024, maxNumBatchedTokens: 8192 };
  return { maxNumSeqs: 256, maxNumBatchedTokens: 2048 };
}

/**
 * Number of CUDA graphs vLLM captures: batch sizes 1, 2, 4, then every 8 to 256, then every 16 to 512; graphs of mixed
 * batches up to twice max-num-seqs, graphs of pure decoding up to max-num-seqs.
 */
export function capturedGraphs(maxNumSeqs: number): number {
  return batchSizes(2 * maxNumSeqs) + batchSizes(maxNumSeqs);
}

function batchSizes(limit: number): number {
  const largest = Math.min(limit, 512);
  const small = [1, 2, 4].filter((size) => size <= largest).length;
  return small + Math.floor(Math.min(largest, 255) / 8) + (largest >= 256 ? Math.floor((largest - 256) / 16) + 1 : 0);
}
