import { roundUp } from "../../names/units";

/**
 * DEFAULT_VOCAB_PADDING_SIZE in vllm/model_executor/layers/vocab_parallel_embedding.py (vLLM
 * 0.33.0).
 */
const PADDING = 64;

/** Rows of embedding and head as vLLM holds them, over all GPUs. */
export function paddedVocabulary(rows: number): number {
  return roundUp(rows, PADDING);
}
