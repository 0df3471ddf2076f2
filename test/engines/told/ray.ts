import fc from "fast-check";
import type { ServeConfig } from "../../../components/serving/ray-serve-config";
import type { RecordedResource } from "../../harness/deploy";
import { modelsOf, optional } from "./arbitrary";
import { type Reader, type Told, untold } from "./contract";
import { containersNamed, gpusOf, versionOf } from "./pods";

interface RayServiceInputs {
  readonly kind?: string;
  readonly spec: { readonly serveConfigV2: string };
}

/** The one application of a RayService, as Ray reads it. */
function applicationOf(objects: readonly RecordedResource[]): ServeConfig["applications"][number] {
  const found = objects
    .map(({ inputs }) => inputs as unknown as RayServiceInputs)
    .find(({ kind }) => kind === "RayService");
  const [application] = (JSON.parse(found?.spec.serveConfigV2 ?? "{}") as Partial<ServeConfig>).applications ?? [];
  if (application === undefined) {
    throw new Error("no RayService with an application");
  }
  return application;
}

export const rayReader: Reader = {
  models: modelsOf(
    ["llama-3.2-3b-instruct", "qwen2.5-7b-instruct", "qwen3-4b-awq", "bge-m3", "llama-3.3-70b-instruct"],
    {
      ray: fc.record({
        ...optional({
          tensorParallel: fc.constantFrom(1, 2, 4),
          gpuMemoryUtilization: fc.integer({ min: 60, max: 95 }).map((percent) => percent / 100),
          maxNumSeqs: fc.integer({ min: 1, max: 512 }),
          kvCacheDtype: fc.constantFrom("auto", "bfloat16", "fp8"),
          loading: fc.constantFrom("copy", "stream"),
        }),
      }),
      quantization: fc.option(fc.constant("fp8"), { nil: undefined }),
    },
  ),
  examples: [
    { model: "qwen2.5-7b-instruct", ray: { maxNumSeqs: 33, gpuMemoryUtilization: 0.81, kvCacheDtype: "fp8" } },
    { model: "llama-3.3-70b-instruct", quantization: "fp8", ray: { tensorParallel: 4 } },
  ],
  told: (objects) => {
    const [config] = applicationOf(objects).args.llm_configs;
    const told = (name: string) => config?.engine_kwargs[name] as number | string | undefined;
    return containersNamed("ray-worker", objects).map(
      (worker): Told => ({
        version: versionOf(worker),
        servedName: config?.model_loading_config.model_id,
        gpus: gpusOf(worker),
        tensorParallel: told("tensor_parallel_size"),
        pipelineParallel: told("pipeline_parallel_size"),
        contextTokens: told("max_model_len"),
        concurrency: untold("the vLLM in it batches what fits its cache: the plan sees to it that so many requests do"),
        maxNumSeqs: told("max_num_seqs"),
        gpuMemoryUtilization: told("gpu_memory_utilization"),
        kvCacheDtype: told("kv_cache_dtype") ?? "auto",
        quantization: told("quantization"),
        dtype: told("dtype"),
        adapters: untold("it is given none: a model of this engine with adapters is refused"),
      }),
    );
  },
};
