/** The flags of vLLM that change what a replica holds in GPU memory, beside those that a request has keys for. */
import type { Dtype } from "../../../planner/model/architecture";

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
  /** `cudagraph_mode` of `--compilation-config`: no graphs, or none of pure decoding. @default both kinds, or what the engine says */
  readonly graphs?: "none" | "piecewise";
  /** `--enable-expert-parallel`: each GPU holds whole experts, not a part of every one. */
  readonly expertParallel?: boolean;
  /** `--language-model-only`: nothing but text, and no towers for the rest. */
  readonly languageModelOnly?: boolean;
  /** `--limit-mm-per-prompt`: items of one request, by modality ("image"); 0 of all leaves their tower out. */
  readonly mediaPerPrompt?: Readonly<Record<string, number>>;
  /** `--mm-encoder-tp-mode`; "data": every GPU holds the whole tower, where the engine can do that for the family. */
  readonly encoderParallelism?: EncoderParallelism;
  /** `--moe-backend`, where the planner knows how it pads: see expert-kernels.ts. */
  readonly moeBackend?: MoeBackend;
}

export const ENCODER_PARALLELISMS = ["weights", "data"] as const;
export type EncoderParallelism = (typeof ENCODER_PARALLELISMS)[number];

/** Back ends of `--moe-backend` whose layout of MXFP4 experts is known (vLLM 0.33.0: fused_moe/oracle/mxfp4.py). */
export const MOE_BACKENDS = ["triton", "marlin", "flashinfer_trtllm"] as const;
export type MoeBackend = (typeof MOE_BACKENDS)[number];
