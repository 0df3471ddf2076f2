import type { GpuSpec } from "../../catalog/shapes";
import type { MemoryRequest } from "../../engines/memory-request";
import type { Layout } from "../layouts";
import type { ModelRequest } from "../request";

/** For values that do not depend on the layout. */
export const ONE_GPU = { tensorParallel: 1, pipelineParallel: 1 };

export function onGpu(
  { engineMemoryGiB, model: gpuModel, slice }: GpuSpec,
  model: ModelRequest,
  { tensorParallel, pipelineParallel }: Pick<Layout, "tensorParallel" | "pipelineParallel">,
): MemoryRequest {
  return {
    ...onAny(model),
    device: "gpu",
    gpuMemoryGiB: engineMemoryGiB,
    ...(slice?.kind === "time-slices" && { cardMemoryGiB: engineMemoryGiB * slice.perGpu }),
    gpuModel,
    tensorParallel,
    pipelineParallel,
  };
}

/** @param hostMemoryGiB host memory for the engine. */
export function onCpu(hostMemoryGiB: number, model: ModelRequest): MemoryRequest {
  return { ...onAny(model), device: "cpu", gpuMemoryGiB: hostMemoryGiB, ...ONE_GPU };
}

function onAny(model: ModelRequest) {
  return {
    architecture: model.architecture,
    engine: { name: model.engine, version: model.engineVersion },
    contextTokens: model.contextTokens,
    concurrency: model.concurrency,
    kvCacheDtype: model.kvCacheDtype,
    quantization: model.quantization,
    utilization: model.gpuMemoryUtilization,
    maxNumSeqs: model.maxNumSeqs,
    declaredMemoryGiB: model.declaredMemoryGiB,
    adapters: model.adapters,
    maxLoras: model.maxLoras,
    maxLoraRank: model.maxLoraRank,
    args: model.args,
  };
}
