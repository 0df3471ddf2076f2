import { modelsOf } from "./arbitrary";
import { type Reader, type Told, untold } from "./contract";
import { containersNamed, flagsOf, gpusOf, numberOf, versionOf } from "./pods";

export const tgiReader: Reader = {
  models: modelsOf([
    "llama-3.2-3b-instruct",
    "qwen2.5-7b-instruct",
    "mistral-7b-instruct-v0.3",
    "llama-3.3-70b-instruct",
  ]),
  examples: [
    { model: "llama-3.2-3b-instruct" },
    { model: "llama-3.3-70b-instruct", contextTokens: 4096, concurrency: 4 },
  ],
  told: (objects) =>
    containersNamed("tgi", objects).map((container): Told => {
      const flags = flagsOf(container);
      const prompt = numberOf(flags.get("max-input-tokens"));
      const prefill = numberOf(flags.get("max-batch-prefill-tokens"));
      const total = numberOf(flags.get("max-total-tokens"));
      return {
        version: versionOf(container),
        servedName: untold("it takes any name that no adapter has for its one model"),
        gpus: gpusOf(container),
        tensorParallel: numberOf(flags.get("num-shard")),
        pipelineParallel: untold("it cuts no model into stages"),
        // Each of the three decides what it accepts.
        contextTokens: prompt === (total ?? 0) - 1 && prefill === total ? total : `${prompt}, ${prefill}, ${total}`,
        concurrency: untold("it batches what fits its cache: the plan sees to it that so many requests do"),
        maxNumSeqs: untold("it batches what fits its cache"),
        gpuMemoryUtilization: numberOf(flags.get("cuda-memory-fraction")),
        kvCacheDtype: flags.get("kv-cache-dtype") ?? "auto",
        quantization: flags.get("quantize"),
        dtype: flags.get("dtype"),
        adapters: untold("it is given none: a model of this engine with adapters is refused"),
      };
    }),
};
