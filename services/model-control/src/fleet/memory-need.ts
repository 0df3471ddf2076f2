/** Weights take what they take on disk; keys and values of a short context come on top. A rule of thumb, not a bound. */
const CONTEXT_FACTOR = 1.2;
/** The GPU runtime's own memory and the compute buffers, which even a small model has. */
const RUNTIME_BYTES = 512 * 1024 ** 2;

/**
 * Memory for a model that was never loaded: its bytes on disk × 1.2 + 0.5 GiB. The figure that the engine tells after
 * the first load replaces it, so a wrong guess costs one eviction too many, or one that comes after the load.
 */
export function estimateMemory(diskBytes: number): number {
  return Math.ceil(diskBytes * CONTEXT_FACTOR) + RUNTIME_BYTES;
}
