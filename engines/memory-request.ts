import type { AdapterDemand } from "./adapters";
import type { ServedModel } from "./served-model";
import type { EngineName } from "./table";

/** How a replica's GPUs divide its model, and what of it decides whether they can. */
export interface LayoutRequest
  extends Pick<ServedModel, "architecture" | "quantization" | "args" | "engineSettings">,
    Partial<Pick<ServedModel, "engineVersion">> {
  readonly tensorParallel: number;
  /** For engines without tensor parallelism: the number of GPUs that the layers are spread over. */
  readonly pipelineParallel: number;
}

/** What an engine is asked of a replica's memory: the model and its load, on which GPUs, in which layout. */
export interface MemoryRequest
  extends LayoutRequest,
    Pick<ServedModel, "contextTokens" | "concurrency" | "kvCacheDtype" | "maxNumSeqs" | "declaredMemoryGiB">,
    AdapterDemand {
  readonly engine: { readonly name: EngineName; readonly version: string };
  /** "cpu": on host memory, which `gpuMemoryGiB` then states. */
  readonly device?: "gpu" | "cpu";
  /** Memory of one GPU as the driver reports it, e.g. 79.19 for an "80 GB" H100. */
  readonly gpuMemoryGiB: number;
  /** Of the whole card, which its process sees, where pods take turns on it: `gpuMemoryGiB` is then its part. @default gpuMemoryGiB */
  readonly cardMemoryGiB?: number;
  /** Name of the card; decides defaults and kernels. */
  readonly gpuModel?: string;
  /** Fraction of `gpuMemoryGiB` that the engine may take. @default the engine's */
  readonly utilization?: number;
}
