/** Fixed, or read from a config key (default: false). */
export type TraitFlag = boolean | { readonly key: string; readonly absent?: boolean };

/** Sliding layers when the config has no `layer_types`. */
export type WindowPattern =
  /** Every layer, when a window is given. */
  | { readonly kind: "every-layer" }
  /** One layer per period (from `key` where present) is full: the last unless stated. */
  | { readonly kind: "one-full-in"; readonly period: number; readonly key: string; readonly at?: "first" | "last" }
  /** Layers from `max_window_layers` on, only with `use_sliding_window`. */
  | { readonly kind: "from-layer" }
  /** The model ignores the window of its config. */
  | { readonly kind: "never" };

/** A projection of this name gates the attention's output: per channel, or as the key says. */
export interface OutputGate {
  readonly name: string;
  readonly key?: string;
  /** Without the key. */
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
  /** Per layer. @default 2 */
  readonly normVectors?: number;
  /** In addition, in expert layers. */
  readonly expertNormVectors?: number;
  /** A norm after each block of a layer. */
  readonly postNorms?: TraitFlag;
  readonly finalNormVectors?: number;
  readonly normBias?: boolean;
  /** Three feed-forward matrices in place of two. @default true */
  readonly gated?: boolean;
  readonly feedForwardBias?: TraitFlag;
  readonly tieEmbeddings?: boolean;
  readonly headBias?: TraitFlag;
  /** Learned numbers per activation function. @default 0 */
  readonly activationParameters?: number;
  /** Without head_dim, hidden size / heads is rounded down; other families refuse a remainder. */
  readonly headDimRoundsDown?: boolean;
  readonly window?: WindowPattern;
  readonly sinks?: boolean;
  readonly outputGate?: OutputGate;
  /** @default the compressed vectors */
  readonly latentCaches?: "latent" | "heads";
  /** Sliding layers have an unscaled rotary table. */
  readonly separateSlidingTable?: boolean;
  /** max_position_embeddings includes the rope scaling. */
  readonly contextIncludesScaling?: boolean;
  /** Expert width, where not moe_intermediate_size. */
  readonly expertWidthKey?: string | readonly string[];
  /** Dense layers before the experts where no key states them. @default 0 */
  readonly leadingDenseLayers?: number;
  /** Dense width of a model with experts; the first present key. */
  readonly denseWidthKey?: string | readonly string[];
  readonly expertBias?: boolean;
  readonly routerBias?: TraitFlag;
  /** Router in float32 whatever the checkpoint's dtype. */
  readonly routerInFloat32?: boolean;
  readonly sharedExpertGate?: boolean;
  /** Expert layers have one shared expert of the expert's width, without a key. */
  readonly impliedSharedExpert?: boolean;
  /** Llama 4: layer i is global when (i + 1) is a multiple, else chunked. */
  readonly chunkedPeriod?: number;
  /** Multi-token-prediction layers have their own embedding and head. */
  readonly predictionRepeatsEmbeddings?: boolean;
}
