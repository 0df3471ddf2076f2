/** vLLM flags that change GPU memory, besides those with request keys. */
import type { Dtype } from "../../../planner/model/architecture";

/** Named as in vLLM; undefined is the engine's default. */
export interface VllmOptions {
  /** `--dtype`: of activations, unquantized weights, and an `auto` KV cache. @default "auto" */
  readonly dtype?: Dtype;
  /** `--max-num-seqs` */
  readonly maxNumSeqs?: number;
  /** `--max-num-batched-tokens`: tokens per pass. @default the engine's, by card */
  readonly maxNumBatchedTokens?: number;
  /** False with `--no-enable-chunked-prefill`: a prompt must then fit into one pass. */
  readonly chunkedPrefill?: boolean;
  /** `--enforce-eager`: no CUDA graphs. */
  readonly enforceEager?: boolean;
  /**
   * `cudagraph_mode` of `--compilation-config`: no graphs, or none of pure decoding.
   * @default both, or the engine's choice
   */
  readonly graphs?: "none" | "piecewise";
  /** `--enable-expert-parallel`: each GPU has whole experts instead of parts of all. */
  readonly expertParallel?: boolean;
  /** `--language-model-only`: text only, without towers. */
  readonly languageModelOnly?: boolean;
  /**
   * `--limit-mm-per-prompt`: items per request by modality ("image"); all 0 removes their tower.
   */
  readonly mediaPerPrompt?: Readonly<Record<string, number>>;
  /** `--mm-encoder-tp-mode`; "data": every GPU has the whole tower, if supported for the family. */
  readonly encoderParallelism?: EncoderParallelism;
  /** `--moe-backend`, if its padding is known: see expert-kernels.ts. */
  readonly moeBackend?: MoeBackend;
}

export const ENCODER_PARALLELISMS = ["weights", "data"] as const;
export type EncoderParallelism = (typeof ENCODER_PARALLELISMS)[number];

/** `--moe-backend` values with known MXFP4 layout (vLLM 0.33.0: fused_moe/oracle/mxfp4.py). */
export const MOE_BACKENDS = ["triton", "marlin", "flashinfer_trtllm"] as const;
export type MoeBackend = (typeof MOE_BACKENDS)[number];
