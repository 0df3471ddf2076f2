import type { AdapterDemand } from "./adapters";
import type { ServedModel } from "./served-model";
import type { EngineName } from "./table";

/** How GPUs divide a replica's model, with restricting properties. */
export interface LayoutRequest
  extends Pick<ServedModel, "architecture" | "quantization" | "args" | "engineSettings">,
    Partial<Pick<ServedModel, "engineVersion">> {
  readonly tensorParallel: number;
  /** Without tensor parallelism: number of GPUs over which layers are spread. */
  readonly pipelineParallel: number;
}

/** Memory question for a replica: model, load, GPUs and layout. */
export interface MemoryRequest
  extends LayoutRequest,
    Pick<ServedModel, "contextTokens" | "concurrency" | "kvCacheDtype" | "maxNumSeqs" | "declaredMemoryGiB">,
    AdapterDemand {
  readonly engine: { readonly name: EngineName; readonly version: string };
  /** "cpu": host memory, given by `gpuMemoryGiB`. */
  readonly device?: "gpu" | "cpu";
  /** Memory of one GPU as the driver reports it: 79.19 for an "80 GB" H100. */
  readonly gpuMemoryGiB: number;
  /**
   * Whole card as its process sees it with time slicing; `gpuMemoryGiB` is then its share.
   * @default gpuMemoryGiB
   */
  readonly cardMemoryGiB?: number;
  /** Card name; determines defaults and kernels. */
  readonly gpuModel?: string;
  /** Fraction of `gpuMemoryGiB` that the engine may use. @default the engine's */
  readonly utilization?: number;
}
