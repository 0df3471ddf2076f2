import fc from "fast-check";
import type { RecordedResource } from "../../harness/deploy";
import { modelsOf, optional } from "./arbitrary";
import { type Reader, type Told, untold } from "./contract";
import { containersNamed, flagsOf, gpusOf } from "./pods";

/** What the made repository tells TensorRT-LLM. */
interface ModelYaml {
  readonly tensor_parallel_size: number;
  readonly pipeline_parallel_size: number;
  readonly max_seq_len: number;
  readonly max_batch_size: number;
  readonly kv_cache_config: { readonly free_gpu_memory_fraction: number; readonly dtype: string };
}

function modelYaml(objects: readonly RecordedResource[]): ModelYaml | undefined {
  const [text] = objects.flatMap(
    ({ inputs }) => (inputs.data as Record<string, string> | undefined)?.["model.yaml"] ?? [],
  );
  return text === undefined ? undefined : (JSON.parse(text) as ModelYaml);
}

const ofTheUser = untold("a repository of the user's own says it");

export const tritonReader: Reader = {
  models: modelsOf(["llama-3.2-3b-instruct", "qwen2.5-7b-instruct", "qwen3-4b-awq", "llama-3.3-70b-instruct"], {
    task: fc.constant("completion"),
    triton: fc.record({
      ...optional({
        tensorParallel: fc.constantFrom(1, 2, 4),
        gpuMemoryUtilization: fc.integer({ min: 60, max: 95 }).map((percent) => percent / 100),
        maxNumSeqs: fc.integer({ min: 1, max: 512 }),
        kvCacheDtype: fc.constantFrom("auto", "fp8"),
      }),
    }),
  }),
  examples: [
    { model: "qwen2.5-7b-instruct", task: "completion", triton: { maxNumSeqs: 33, kvCacheDtype: "fp8" } },
    { model: "llama-3.3-70b-instruct", task: "completion", triton: { tensorParallel: 4 } },
    { model: "bge-m3", source: "s3://models/embedder", triton: { repository: { memoryGiB: 6 } } },
  ],
  told: (objects) =>
    containersNamed("triton", objects).map((container): Told => {
      const flags = flagsOf(container);
      const yaml = modelYaml(objects);
      return {
        version: /:(\d\d\.\d\d)-/.exec(container.image)?.[1],
        servedName: flags.get("load-model"),
        gpus: gpusOf(container),
        tensorParallel: yaml?.tensor_parallel_size ?? gpusOf(container),
        pipelineParallel: yaml?.pipeline_parallel_size ?? 1,
        contextTokens: yaml?.max_seq_len ?? ofTheUser,
        concurrency: untold("it batches what fits its cache: the plan sees to it that so many requests do"),
        maxNumSeqs: untold("what the user leaves out is 64 or the concurrency: see the test of Triton's configuration"),
        gpuMemoryUtilization: untold(
          "it is told the part of what is left after loading: see the test of Triton's configuration",
        ),
        kvCacheDtype: yaml?.kv_cache_config.dtype ?? ofTheUser,
        quantization: undefined,
        dtype: undefined,
        adapters: untold("it is given none: a model of this engine with adapters is refused"),
      };
    }),
};
