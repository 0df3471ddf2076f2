import type { Interval } from "./uncertainty";
import type { MemoryVerdict } from "./verdict";

export interface MemoryBudget {
  readonly weightsGiB: number;
  /** For contextTokens × concurrency. */
  readonly kvCacheGiB: number;
  /** Activations, communication buffers and (where the engine counts them) CUDA graphs. */
  readonly overheadGiB: number;
  /** weights + KV cache + overhead. */
  readonly totalGiB: number;
  readonly limitGiB: number;
}

/** One GPU, GiB. */
export interface OverheadParts {
  /** Peak of the profiling run. */
  readonly activationGiB: number;
  /** Outside PyTorch's allocator: communication buffers, library handles. */
  readonly nonTorchGiB: number;
  /** CUDA graphs, where in the engine's budget. */
  readonly graphsGiB: number;
}

/** One pipeline stage, with the error of its GPUs' need. */
export interface StageEstimate extends MemoryBudget, Interval {
  readonly stage: number;
  readonly layers: number;
  readonly overhead: OverheadParts;
  /** GiB for the KV cache per GPU of the stage. */
  readonly kvPoolGiB: number;
}

export interface MemoryEstimate {
  /** The tightest GPU. */
  readonly perGpu: MemoryBudget;
  readonly stages: readonly StageEstimate[];
  /** GiB for the KV cache on the GPU that limits tokens. */
  readonly kvPoolGiB: number;
  /** Fraction of visible memory that the engine may take. */
  readonly utilization: number;
  /** The KV cache size that the engine prints; 0 when nothing is cached. */
  readonly kvTokens: number;
  /** contextTokens × concurrency. */
  readonly requiredTokens: number;
  /** Weights' share per GPU for LoRA adapters, on the largest stage; undefined without adapters. */
  readonly adaptersGiB?: number;
  /** Requests of contextTokens that the pool holds. */
  readonly requestCapacity: number;
  readonly verdict: MemoryVerdict;
  /** GiB that the tightest GPU lacks to fit at the upper end of the interval. */
  readonly shortfallGiB: number;
  readonly basis: string;
  readonly notes: readonly string[];
}
