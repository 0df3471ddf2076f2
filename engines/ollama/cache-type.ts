/**
 * Cache number formats of llama.cpp (OLLAMA_KV_CACHE_TYPE). 8-bit values need flash attention
 * (src/llama-context.cpp of llama.cpp), which Ollama enables by OLLAMA_FLASH_ATTENTION
 * (llm/llama_server.go of 0.33.0-rc2). Older releases disable it for some models and silently keep
 * 16 bits (llm/server.go, SupportsFlashAttention of fs/ggml/ggml.go).
 */
import { type ModelArchitecture, mixersOf } from "../../planner/model/architecture";
import type { ServedModel } from "../served-model";

export const CACHE_DTYPES = ["auto", "fp8"] as const satisfies readonly ServedModel["kvCacheDtype"][];

/** Values that share a scale in q8_0. */
const BLOCK_VALUES = 32;

/** Models that SupportsFlashAttention excludes by name. */
const WITHOUT_FLASH_ATTENTION = ["gemma2", "grok"];

export function cacheType({ kvCacheDtype }: Pick<ServedModel, "kvCacheDtype">): "f16" | "q8_0" {
  return kvCacheDtype === "fp8" ? "q8_0" : "f16";
}

/** Why a model's cache cannot use 8 bits. */
export function cacheFault({ family, kind, layerSpecs }: ModelArchitecture): string | undefined {
  if (kind === "encoder") {
    return "an embedding model has no KV cache";
  }
  const mixers = layerSpecs.flatMap(mixersOf);
  if (WITHOUT_FLASH_ATTENTION.includes(family) || mixers.some((mixer) => mixer.kind === "latent")) {
    return `an 8-bit KV cache needs flash attention, which Ollama does not use for models of the family ${family}`;
  }
  const odd = mixers.find((mixer) => mixer.kind === "attention" && mixer.headDim % BLOCK_VALUES !== 0);
  return odd?.kind === "attention"
    ? `q8_0 holds ${BLOCK_VALUES} values in a block, which does not divide the width of its heads, ${odd.headDim}`
    : undefined;
}
