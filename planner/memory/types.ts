/** What a memory estimate says, whichever engine it is of. */
import type { Interval } from "./uncertainty";
import type { MemoryVerdict } from "./verdict";

export interface MemoryBudget {
  readonly weightsGiB: number;
  /** For contextTokens × concurrency. */
  readonly kvCacheGiB: number;
  /** Activations, communication buffers and (where the engine counts them) CUDA graphs. */
  readonly overheadGiB: number;
  /** weights + KV cache + overhead: what the replica needs by the estimate. */
  readonly totalGiB: number;
  readonly limitGiB: number;
}

/** Overhead of one GPU by cause, GiB. */
export interface OverheadParts {
  /** Peak of the profiling run. */
  readonly activationGiB: number;
  /** Outside PyTorch's allocator: communication buffers, library handles. */
  readonly nonTorchGiB: number;
  /** CUDA graphs, where the engine takes them from its budget. */
  readonly graphsGiB: number;
}

/** One pipeline stage, with what the need of its GPUs may stay under the total or exceed it by. */
export interface StageEstimate extends MemoryBudget, Interval {
  readonly stage: number;
  readonly layers: number;
  /** What the overhead consists of. */
  readonly overhead: OverheadParts;
  /** Memory left for the KV cache on each GPU of the stage, by the estimate. */
  readonly kvPoolGiB: number;
}

export interface MemoryEstimate {
  /** The tightest GPU. */
  readonly perGpu: MemoryBudget;
  readonly stages: readonly StageEstimate[];
  /** Memory left for the KV cache on the GPU that limits the number of tokens. */
  readonly kvPoolGiB: number;
  /** Fraction of the memory that its process sees which the engine is allowed to take. */
  readonly utilization: number;
  /** The figure the engine prints as its KV cache size; 0 when nothing is cached. */
  readonly kvTokens: number;
  /** contextTokens × concurrency. */
  readonly requiredTokens: number;
  /** Of the weights of each GPU, room for LoRA adapters, on the stage where it is largest; undefined without adapters. */
  readonly adaptersGiB?: number;
  /** Requests of contextTokens that the pool holds at once. */
  readonly requestCapacity: number;
  readonly verdict: MemoryVerdict;
  /** What the tightest GPU lacks for the answer "fits", GiB: with the largest need in the interval. */
  readonly shortfallGiB: number;
  /** What the constants rest on. */
  readonly basis: string;
  readonly notes: readonly string[];
}
