/**
 * Weights need their disk size; the KV cache of a short context is added. A rule of thumb, not a
 * bound.
 */
const CONTEXT_FACTOR = 1.2;
/** GPU runtime and compute buffers, independent of model size. */
const RUNTIME_BYTES = 512 * 1024 ** 2;

/**
 * Estimated memory before the first load: disk bytes × 1.2 + 0.5 GiB. The engine's figure replaces
 * it, so an error costs one needless or late eviction.
 */
export function estimateMemory(diskBytes: number): number {
  return Math.ceil(diskBytes * CONTEXT_FACTOR) + RUNTIME_BYTES;
}
