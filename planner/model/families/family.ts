/** Result of a family reader: the text model, without embeddings, quantization or vision. */
import type { Dtype, LayerSpec, MultiTokenPrediction, OuterTensor } from "../architecture";
import type { ConfigSource } from "../config-source";
import type { Rope } from "../rope";

export interface TextModel {
  readonly kind: "decoder" | "encoder";
  readonly layerSpecs: readonly LayerSpec[];
  readonly rope: Rope;
  /** When the config is silent. */
  readonly tieEmbeddingsByDefault: boolean;
  readonly headBias?: boolean;
  readonly finalNormVectors: number;
  readonly finalNormBias: boolean;
  readonly outerTensors?: readonly OuterTensor[];
  readonly multiTokenPrediction?: MultiTokenPrediction;
  readonly recurrentStateDtype?: Dtype;
  /** See ModelArchitecture. */
  readonly cacheDoubt?: string;
  /** Without a reader: tokens and hidden size from the checkpoint's table. */
  readonly embeddingShape?: readonly number[];
  /** See ModelArchitecture. */
  readonly wholeEmbedding?: boolean;
  /** vLLM's class lacks SupportsPP. */
  readonly singleStage?: boolean;
  readonly headless?: boolean;
}

export interface FamilyReader {
  readonly modelTypes: readonly string[];
  read(source: ConfigSource): TextModel;
}

/** Spellings of dimensions common to all text models. */
export const DIMENSION_KEYS = {
  layers: ["num_hidden_layers", "n_layer", "n_layers", "num_layers"],
  hidden: ["hidden_size", "n_embd", "d_model", "model_dim"],
  heads: ["num_attention_heads", "n_head", "n_heads"],
  intermediate: ["intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size"],
} as const;
