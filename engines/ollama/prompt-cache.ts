/**
 * Prompt cache of llama-server in host memory: 8 GiB per loaded model by default. Ollama sets no
 * flag, but passes variables on (ollama 0.32, llm/llama_server.go: startLlamaServer; llama.cpp,
 * tools/server: --cache-ram, LLAMA_ARG_CACHE_RAM; 0 disables it).
 */

/** llama.cpp's default limit, MiB. */
const DEFAULT_MIB = 8192;

/** Variable of llama-server; Ollama releases without it ignore it. */
export const PROMPT_CACHE = "LLAMA_ARG_CACHE_RAM";

export interface PromptCachePod {
  /** Loaded models, each with its own cache. */
  readonly models: number;
  /** Pod memory beyond start needs and shared process memory, GiB. */
  readonly spareGiB: number;
  /** KV cache of one full-length request, GiB: the last entry stays regardless of size. */
  readonly oneRequestGiB: number;
}

/** MiB per loaded model; 0 if not even one full prompt fits. */
export function promptCacheMiB({ models, spareGiB, oneRequestGiB }: PromptCachePod): number {
  const each = Math.min(DEFAULT_MIB, Math.floor((Math.max(0, spareGiB) * 1024) / models));
  return each < oneRequestGiB * 1024 ? 0 : each;
}
