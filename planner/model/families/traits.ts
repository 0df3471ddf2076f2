/** What tells the decoder families apart beyond the numbers in their configs. */

/** A fixed answer, or the config key that gives it (absent key: false). */
export type TraitFlag = boolean | { readonly key: string; readonly absent?: boolean };

/** How sliding layers are placed when the config has no `layer_types`. */
export type WindowPattern =
  /** Every layer slides when a window is given. */
  | { readonly kind: "every-layer" }
  /** One layer of each period, read from `key` where present, is full: the last of them unless stated. */
  | { readonly kind: "one-full-in"; readonly period: number; readonly key: string; readonly at?: "first" | "last" }
  /** Layers from `max_window_layers` on slide, only with `use_sliding_window`. */
  | { readonly kind: "from-layer" }
  /** The window is written in the config but the model does not use it. */
  | { readonly kind: "never" };

/** A projection of its own, with this name, gates the attention's output: per channel, or as the key says. */
export interface OutputGate {
  readonly name: string;
  readonly key?: string;
  /** What holds without the key. */
  readonly absent?: boolean;
}

export interface DecoderTraits {
  readonly queryKeyValueBias?: TraitFlag;
  readonly outputBias?: TraitFlag;
  readonly queryKeyNorm?:
    | "none"
    | "head"
    | "projection"
    | { readonly key: string; readonly absent?: boolean; readonly norm: "head" | "projection" };
  /** Norm vectors per layer; 2 unless stated. */
  readonly normVectors?: number;
  /** Further norm vectors in layers with experts. */
  readonly expertNormVectors?: number;
  /** One more norm after each of the two blocks of a layer. */
  readonly postNorms?: TraitFlag;
  readonly finalNormVectors?: number;
  readonly normBias?: boolean;
  /** Three feed-forward matrices instead of two; true unless stated. */
  readonly gated?: boolean;
  readonly feedForwardBias?: TraitFlag;
  readonly tieEmbeddings?: boolean;
  readonly headBias?: TraitFlag;
  /** Learned numbers of each layer's activation function; 0 unless stated. */
  readonly activationParameters?: number;
  /** Without head_dim a head has hidden size / heads rounded down, where other families refuse a remainder. */
  readonly headDimRoundsDown?: boolean;
  readonly window?: WindowPattern;
  readonly sinks?: boolean;
  readonly outputGate?: OutputGate;
  /** What latent attention keeps: the compressed vectors unless stated. */
  readonly latentCaches?: "latent" | "heads";
  /** Sliding layers have their own, unscaled rotary table. */
  readonly separateSlidingTable?: boolean;
  /** max_position_embeddings already includes the rope scaling. */
  readonly contextIncludesScaling?: boolean;
  /** Key of the expert width where it is not moe_intermediate_size. */
  readonly expertWidthKey?: string | readonly string[];
  /** Dense layers before the first one with experts where no key says which layers have them; 0 unless stated. */
  readonly leadingDenseLayers?: number;
  /** Key of the dense width in a model that has experts; the first of several that is present. */
  readonly denseWidthKey?: string | readonly string[];
  readonly expertBias?: boolean;
  readonly routerBias?: TraitFlag;
  /** The engine holds the router in float32 whatever the checkpoint's dtype. */
  readonly routerInFloat32?: boolean;
  readonly sharedExpertGate?: boolean;
  /** Every expert layer has one shared expert of the expert's width, though no key says so. */
  readonly impliedSharedExpert?: boolean;
  /** Llama 4: layer i attends globally when (i + 1) is a multiple of this, else within a chunk. */
  readonly chunkedPeriod?: number;
  /** The multi-token-prediction layers come with their own embedding and head. */
  readonly predictionRepeatsEmbeddings?: boolean;
}
