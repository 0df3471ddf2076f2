/** Weights plus the KV cache of a short context. A rule of thumb, not a bound. */
const CONTEXT_FACTOR = 1.2;
/** GPU runtime and compute buffers, independent of model size. */
const RUNTIME_BYTES = 512 * 1024 ** 2;

/**
 * Estimate before the first load: disk bytes × 1.2 + 0.5 GiB. The engine's figure replaces it; an
 * error costs one needless or late eviction.
 */
export function estimateMemory(diskBytes: number): number {
  return Math.ceil(diskBytes * CONTEXT_FACTOR) + RUNTIME_BYTES;
}
