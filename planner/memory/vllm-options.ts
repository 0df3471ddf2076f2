/** The flags of vLLM that change what a replica holds in GPU memory, beside those that a request has keys for. */
import type { Dtype } from "../model/architecture";

/** All as vLLM's command line has them; undefined is the engine's default. */
export interface VllmOptions {
  /** `--dtype`: of activations, of weights that are not quantized, and of an `auto` KV cache. @default "auto" */
  readonly dtype?: Dtype;
  /** `--max-num-seqs` */
  readonly maxNumSeqs?: number;
  /** `--max-num-batched-tokens`: tokens of one pass. @default the engine's, by card */
  readonly maxNumBatchedTokens?: number;
  /** `--no-enable-chunked-prefill` is false: a prompt must then fit into one pass. */
  readonly chunkedPrefill?: boolean;
  /** `--enforce-eager`: no CUDA graphs. */
  readonly enforceEager?: boolean;
  /** `--enable-expert-parallel`: each GPU holds whole experts, not a part of every one. */
  readonly expertParallel?: boolean;
  /** `--language-model-only`, or `--limit-mm-per-prompt` with 0 of everything: no vision tower. */
  readonly languageModelOnly?: boolean;
  /** `--mm-encoder-tp-mode`; "data": every GPU holds the whole vision tower. */
  readonly encoderParallelism?: "weights" | "data";
}
