import fc from "fast-check";
import { modelsOf, optional } from "./arbitrary";
import { type Reader, type Told, untold } from "./contract";
import { containersNamed, type EngineContainer, flagsOf, gpusOf, numberOf, versionOf } from "./pods";

export const vllmReader: Reader = {
  models: modelsOf(
    [
      "llama-3.2-3b-instruct",
      "qwen2.5-7b-instruct",
      "qwen3-4b-awq",
      "bge-m3",
      "llama-3.3-70b-instruct",
      "qwen3-30b-a3b",
    ],
    {
      vllm: fc.record({
        ...optional({
          tensorParallel: fc.constantFrom(1, 2, 4),
          gpuMemoryUtilization: fc.integer({ min: 60, max: 95 }).map((percent) => percent / 100),
          maxNumSeqs: fc.integer({ min: 1, max: 512 }),
          kvCacheDtype: fc.constantFrom("auto", "bfloat16", "fp8"),
          loading: fc.constantFrom("copy", "stream"),
          sleepMode: fc.boolean(),
        }),
      }),
      quantization: fc.option(fc.constant("fp8"), { nil: undefined }),
      adapters: fc.option(
        fc.dictionary(
          fc.stringMatching(/^adapter-[a-z0-9]{1,8}$/),
          fc.record({ source: fc.constant("hf://org/lora"), rank: fc.integer({ min: 1, max: 64 }) }),
          { minKeys: 1, maxKeys: 10 },
        ),
        { nil: undefined },
      ),
    },
  ),
  examples: [
    { model: "qwen2.5-7b-instruct", vllm: { maxNumSeqs: 33, gpuMemoryUtilization: 0.81, kvCacheDtype: "fp8" } },
    { model: "llama-3.3-70b-instruct", quantization: "fp8", vllm: { tensorParallel: 4 } },
    { model: "qwen2.5-7b-instruct", vllm: { prefillDecode: { prefill: 1, decode: 2 } } },
    { model: "qwen2.5-7b-instruct", adapters: { legal: { source: "hf://org/legal", rank: 33 } } },
    { model: "llama-3.1-405b-instruct", contextTokens: 4096, concurrency: 2, vllm: { pipelineParallel: 2 } },
  ],
  told: (objects) =>
    containersNamed("vllm", objects).map((container): Told => {
      const flags = flagsOf(container);
      return {
        version: versionOf(container),
        servedName: flags.get("served-model-name"),
        gpus: gpusOf(container),
        tensorParallel: numberOf(flags.get("tensor-parallel-size")),
        pipelineParallel: numberOf(flags.get("pipeline-parallel-size")),
        contextTokens: numberOf(flags.get("max-model-len")),
        concurrency: untold("it batches what fits its cache: the plan sees to it that so many requests do"),
        maxNumSeqs: numberOf(flags.get("max-num-seqs")),
        gpuMemoryUtilization: numberOf(flags.get("gpu-memory-utilization")),
        kvCacheDtype: flags.get("kv-cache-dtype") ?? "auto",
        quantization: flags.get("quantization"),
        dtype: flags.get("dtype"),
        adapters: adaptersIn(container),
      };
    }),
};

/** What it is told of adapters, in the plan's words. */
function adaptersIn(container: EngineContainer): string | undefined {
  const { args = [] } = container;
  const flags = flagsOf(container);
  if (!args.includes("--enable-lora")) {
    return undefined;
  }
  const behind = args.slice(args.indexOf("--lora-modules") + 1);
  const end = behind.findIndex((word) => word.startsWith("--"));
  const names = (end < 0 ? behind : behind.slice(0, end)).map((word) => word.split("=")[0]);
  return `${names.join(" ")}: ${flags.get("max-loras")} of rank ${flags.get("max-lora-rank")}`;
}
