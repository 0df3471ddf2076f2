/** Memory requests for tests. */
import type { MemoryRequest } from "../../engines/memory-request";
import type { ModelArchitecture } from "../../planner/model/architecture";

/** One request of 8192 tokens on one "80 GB" H100 with vLLM 0.33. */
export function memoryRequest(architecture: ModelArchitecture, changes: Partial<MemoryRequest> = {}): MemoryRequest {
  return {
    architecture,
    engine: { name: "vllm", version: "0.33.0" },
    gpuMemoryGiB: 79.19,
    gpuModel: "NVIDIA H100 80GB HBM3",
    tensorParallel: 1,
    pipelineParallel: 1,
    contextTokens: 8192,
    concurrency: 1,
    kvCacheDtype: "auto",
    ...changes,
  };
}
