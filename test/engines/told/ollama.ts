import type { LoaderJob } from "../../../components/serving/scripts/model-loader";
import { modelsOf } from "./arbitrary";
import { type Reader, type Told, untold } from "./contract";
import { containersNamed, gpusOf, numberOf, variablesOf, versionOf } from "./pods";

/** How the plan calls the cache types of llama.cpp: 16 bits are the engine's own. */
const CACHE_TYPES: Readonly<Record<string, string>> = { f16: "auto", q8_0: "fp8" };

export const ollamaReader: Reader = {
  models: modelsOf(["llama-3.2-3b-instruct", "qwen3-8b", "gpt-oss-20b", "bge-m3", "llama-3.3-70b-instruct"]),
  examples: [{ model: "llama-3.2-3b-instruct" }, { model: "llama-3.3-70b-instruct", contextTokens: 8192 }],
  told: (objects) =>
    containersNamed("ollama", objects).map((container): Told => {
      const variables = variablesOf(container);
      const [loader] = containersNamed("loader", objects);
      return {
        version: versionOf(container),
        servedName: loader && firstLoaded(variablesOf(loader).get("MODEL_LOADER")),
        gpus: gpusOf(container),
        tensorParallel: untold("llama.cpp cuts no matrices"),
        pipelineParallel: untold("llama.cpp spreads layers over the GPUs that it sees"),
        contextTokens: numberOf(variables.get("OLLAMA_CONTEXT_LENGTH")),
        concurrency: numberOf(variables.get("OLLAMA_NUM_PARALLEL")),
        maxNumSeqs: untold("it batches its parallel requests"),
        gpuMemoryUtilization: untold("it takes what the model needs"),
        kvCacheDtype: CACHE_TYPES[variables.get("OLLAMA_KV_CACHE_TYPE") ?? ""],
        quantization: untold("the tag says it"),
        dtype: untold("the tag says it"),
        adapters: untold("it takes none: a model of this engine with adapters is refused"),
      };
    }),
};

/** Of what the loader is told to load; those that share the server have a test of their own. */
function firstLoaded(job = "{}"): string | undefined {
  const { models = [] } = JSON.parse(job) as Partial<LoaderJob>;
  return models[0]?.servedName;
}
