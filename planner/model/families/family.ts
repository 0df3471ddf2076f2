/** What a family reader hands back: the text model of a config, without embeddings, quantization or vision. */
import type { Dtype, LayerSpec, MultiTokenPrediction, OuterTensor } from "../architecture";
import type { ConfigSource } from "../config-source";
import type { Rope } from "../rope";

export interface TextModel {
  readonly kind: "decoder" | "encoder";
  readonly layerSpecs: readonly LayerSpec[];
  readonly rope: Rope;
  /** Used when the config does not say. */
  readonly tieEmbeddingsByDefault: boolean;
  readonly headBias?: boolean;
  readonly finalNormVectors: number;
  readonly finalNormBias: boolean;
  readonly outerTensors?: readonly OuterTensor[];
  readonly multiTokenPrediction?: MultiTokenPrediction;
  readonly recurrentStateDtype?: Dtype;
  /** See ModelArchitecture. */
  readonly cacheDoubt?: string;
  /** Only where no reader knows the family: tokens and hidden size by the checkpoint's table of them. */
  readonly embeddingShape?: readonly number[];
  /** See ModelArchitecture. */
  readonly wholeEmbedding?: boolean;
  /** vLLM's class lacks SupportsPP: one pipeline stage only. */
  readonly singleStage?: boolean;
  /** The encoder has no language-model head. */
  readonly headless?: boolean;
}

export interface FamilyReader {
  /** Values of `model_type` this reader understands. */
  readonly modelTypes: readonly string[];
  read(source: ConfigSource): TextModel;
}

/** Spellings of the dimensions every text model has. */
export const DIMENSION_KEYS = {
  layers: ["num_hidden_layers", "n_layer", "n_layers", "num_layers"],
  hidden: ["hidden_size", "n_embd", "d_model", "model_dim"],
  heads: ["num_attention_heads", "n_head", "n_heads"],
  intermediate: ["intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size"],
} as const;
