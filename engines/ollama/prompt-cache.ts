/**
 * Prompts that llama-server keeps in host memory when another one takes their slot: 8 GiB by default for each loaded
 * model, whatever the pod has, and Ollama passes no flag for it (ollama 0.32, llm/llama_server.go: startLlamaServer,
 * which hands its own variables on; llama.cpp, tools/server: --cache-ram, LLAMA_ARG_CACHE_RAM; 0 switches it off).
 */

/** llama.cpp's own limit, MiB. */
const DEFAULT_MIB = 8192;

/** The variable that llama-server reads; releases of Ollama without it read nothing of that name. */
export const PROMPT_CACHE = "LLAMA_ARG_CACHE_RAM";

/** What of a pod's memory decides how much of it prompts may take. */
export interface PromptCachePod {
  /** Models that the server has loaded, each with a cache of its own. */
  readonly models: number;
  /** Of the pod, beside what the engine needs to start in and what its processes share, GiB. */
  readonly spareGiB: number;
  /** Of the KV cache that one request of full length takes, GiB: the last entry stays however large it is. */
  readonly oneRequestGiB: number;
}

/** MiB for each loaded model; 0 where not even one whole prompt fits. */
export function promptCacheMiB({ models, spareGiB, oneRequestGiB }: PromptCachePod): number {
  const each = Math.min(DEFAULT_MIB, Math.floor((Math.max(0, spareGiB) * 1024) / models));
  return each < oneRequestGiB * 1024 ? 0 : each;
}
