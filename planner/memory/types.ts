/** The question the memory planner answers, and its answer. */
import type { ModelArchitecture } from "../model/architecture";
import type { VllmOrigin } from "./engines";
import type { KvCacheDtype } from "./kv-cache";
import type { VllmOptions } from "./vllm-options";

export interface MemoryRequest {
  readonly architecture: ModelArchitecture;
  readonly engine: { readonly name: "vllm" | "ollama"; readonly version: string };
  /** Decides vLLM's sampler up to 0.11.0. @default "image" */
  readonly installedFrom?: VllmOrigin;
  /** "cpu": Ollama on host memory, which `gpuMemoryGiB` then states. */
  readonly device?: "gpu" | "cpu";
  /** Memory of one GPU as the driver reports it, e.g. 79.19 for an "80 GB" H100. */
  readonly gpuMemoryGiB: number;
  /** Name of the card; decides scheduler defaults and kernels. */
  readonly gpuModel?: string;
  readonly tensorParallel: number;
  /** For Ollama: the number of GPUs that the layers are spread over. */
  readonly pipelineParallel: number;
  /** Tokens of one request, prompt and answer. */
  readonly contextTokens: number;
  /** Requests of that length held at once. */
  readonly concurrency: number;
  readonly kvCacheDtype: KvCacheDtype;
  /** Name of a weight format that replaces the checkpoint's own. */
  readonly quantization?: string;
  /** Fraction of GPU memory the engine may take (--gpu-memory-utilization). */
  readonly utilization?: number;
  /** Flags of vLLM that change its memory. */
  readonly vllm?: VllmOptions;
}

export interface MemoryBudget {
  readonly weightsGiB: number;
  /** For contextTokens × concurrency. */
  readonly kvCacheGiB: number;
  /** Activations, communication buffers and (where the engine counts them) CUDA graphs. */
  readonly overheadGiB: number;
  /** Kept free for what the estimate can be wrong by: 0.5 GiB + 1 % of the weights. */
  readonly reserveGiB: number;
  /** weights + KV cache + overhead + reserve; the model fits when this is at most limitGiB. */
  readonly totalGiB: number;
  readonly limitGiB: number;
}

export interface StageEstimate extends MemoryBudget {
  readonly stage: number;
  readonly layers: number;
  /** Memory left for the KV cache on each GPU of the stage; the reserve is not taken off. */
  readonly kvPoolGiB: number;
}

export interface MemoryEstimate {
  /** The tightest GPU. */
  readonly perGpu: MemoryBudget;
  readonly stages: readonly StageEstimate[];
  /** Memory left for the KV cache on the GPU that limits the number of tokens. */
  readonly kvPoolGiB: number;
  /** Fraction of GPU memory the engine is allowed to take. */
  readonly utilization: number;
  /** The figure the engine prints as its KV cache size; 0 when nothing is cached. */
  readonly kvTokens: number;
  /** contextTokens × concurrency. */
  readonly requiredTokens: number;
  /** Requests of contextTokens that the pool holds at once. */
  readonly requestCapacity: number;
  readonly fits: boolean;
  /** Missing on the tightest GPU; 0 when it fits. */
  readonly shortfallGiB: number;
  /** What the constants rest on. */
  readonly basis: string;
  readonly notes: readonly string[];
}

/** Memory kept free for the estimate's own error. */
export function reserveGiB(weightsGiB: number): number {
  return 0.5 + 0.01 * weightsGiB;
}
