/**
 * What a model is made of, as plain data: the only thing that the memory planner knows about a model.
 * A family reader (./families) fills it from a Hugging Face config.json; nothing here depends on an engine.
 */
import type { AssumedSetting } from "./assumed";
import type { WeightFormat } from "./quantization";
import type { ModelTensor } from "./tensors";

/** How far back a token attends. A bounded scope keeps at most `windowTokens` tokens in the cache. */
export type AttentionScope =
  | { readonly kind: "full" }
  | { readonly kind: "sliding"; readonly windowTokens: number }
  | { readonly kind: "chunked"; readonly windowTokens: number };

/** Multi-head, grouped-query or multi-query attention with a cache of keys and values. */
export interface GroupedQueryAttention {
  readonly kind: "attention";
  readonly scope: AttentionScope;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  /** Where values are narrower than queries and keys (MiMo-V2). */
  readonly valueHeadDim?: number;
  readonly queryKeyValueBias: boolean;
  readonly outputBias: boolean;
  /** "head": one norm of headDim shared by all heads; "projection": one norm over the whole projection. */
  readonly queryKeyNorm: "none" | "head" | "projection";
  /** The query projection also produces an output gate of the same width (Qwen3-Next). */
  readonly outputGate: boolean;
  /** One learned attention sink per head (gpt-oss). */
  readonly sinks: boolean;
  /** False in encoders, and where the layer reuses the keys and values of an earlier layer (Gemma 4). */
  readonly ownsCache: boolean;
  /** Chooses the blocks of keys that a sparse layer attends to; its keys stay in 16 bits (MiniMax-M3). */
  readonly indexer?: SparseIndexer;
  /** True where the projections are those of an earlier layer, which has a cache of its own (HRM, Zamba 2). */
  readonly borrowsWeights?: boolean;
  /** "keys": they serve as values too; "none": both come from an earlier layer. Absent: keys and values. */
  readonly keyValueProjections?: "keys" | "none";
}

/** Scores earlier tokens so that the attention reads only the best; has a key cache of its own. */
export interface SparseIndexer {
  readonly heads: number;
  readonly headDim: number;
}

/** Multi-head latent attention (DeepSeek): keys and values come from one compressed vector per token. */
export interface LatentAttention {
  readonly kind: "latent";
  readonly heads: number;
  /** Absent: queries are not compressed. */
  readonly queryLoraRank?: number;
  readonly kvLoraRank: number;
  readonly nopeHeadDim: number;
  readonly ropeHeadDim: number;
  readonly valueHeadDim: number;
  /** The cache holds the compressed vector, or the keys and values of every head, each as wide as a query (MiniCPM3). */
  readonly caches: "latent" | "heads";
  /** Sparse-attention indexer with its own key cache (DeepSeek-V3.2). */
  readonly indexer?: SparseIndexer;
}

/**
 * Attention to a sliding window of latent vectors and, where the layer compresses, to one vector for every `rate` tokens
 * before it (DeepSeek-V4). Keys are values, and every GPU holds the whole cache.
 */
export interface CompressedAttention {
  readonly kind: "compressed";
  readonly heads: number;
  /** Width of a head and of a cached vector, of which the last `ropeHeadDim` turn. */
  readonly headDim: number;
  readonly ropeHeadDim: number;
  readonly queryLoraRank: number;
  /** The output projection works on groups of heads, each through its own low rank. */
  readonly outputGroups: number;
  readonly outputLoraRank: number;
  readonly windowTokens: number;
  /** overlaps: a vector covers its tokens and those of the vector before it. */
  readonly compression?: { readonly rate: number; readonly overlaps: boolean };
  /** Chooses among the compressed vectors, with a compressor and a cache of its own. */
  readonly indexer?: SparseIndexer;
}

/** A layer with a fixed state per sequence instead of a cache that grows. Shapes are elements per sequence. */
export interface RecurrentMixer {
  readonly kind: "recurrent";
  readonly variant: "mamba1" | "mamba2" | "gated-delta-net" | "kimi-delta" | "lightning" | "short-convolution";
  /** Elements of the convolution state per sequence, all heads. */
  readonly convolutionStateElements: number;
  /** Elements of the recurrent (SSM or linear-attention) state per sequence, all heads. */
  readonly recurrentStateElements: number;
  /** Heads that share some inputs by groups (Mamba 2). */
  readonly grouping?: HeadGrouping;
  readonly projections: readonly ProjectionShape[];
}

/** vLLM repeats a single group on every GPU; several must be divisible among them (mamba_mixer2.py). */
export interface HeadGrouping {
  readonly heads: number;
  readonly groups: number;
  /** The groups' part of the convolution state, in elements per sequence. */
  readonly convolutionStateElements: number;
}

/**
 * Short convolutions over keys, values and the outputs of a layer, which keep their last inputs in pages of the KV cache
 * (Inkling): a window as long as the kernel.
 */
export interface WindowedConvolution {
  readonly kind: "windowed-convolution";
  readonly windowTokens: number;
  /** Heads that tensor parallelism splits; it may not exceed them. */
  readonly kvHeads: number;
  /** Values kept of a token for each of these heads, padding included. */
  readonly valuesPerHead: number;
  readonly projections: readonly ProjectionShape[];
}

/** A weight matrix (outputs × inputs) or, with inputs 1, a vector; split says how tensor parallelism cuts it. */
export interface ProjectionShape {
  readonly name: string;
  readonly outputs: number;
  readonly inputs: number;
  readonly split: "outputs" | "inputs" | "none";
  /** Outputs come in that many indivisible pieces, repeated where there are more GPUs. */
  readonly units?: number;
  /** dtype in which the engine holds it, where that is not the checkpoint's. */
  readonly loadedDtype?: Dtype;
}

export type Mixer =
  | GroupedQueryAttention
  | LatentAttention
  | CompressedAttention
  | RecurrentMixer
  | WindowedConvolution
  | { readonly kind: "none" };

export interface DenseFeedForward {
  readonly kind: "dense";
  readonly width: number;
  /** Gated (SwiGLU and relatives): three matrices; otherwise two. */
  readonly gated: boolean;
  readonly bias: boolean;
}

export interface MixtureOfExperts {
  readonly kind: "experts";
  readonly experts: number;
  readonly expertsPerToken: number;
  /** Places of the router without weights behind them: the token passes unchanged (LongCat). */
  readonly zeroExperts?: number;
  readonly width: number;
  readonly gated: boolean;
  readonly bias: boolean;
  readonly routerBias: boolean;
  /** dtype in which the engine holds the router, where that is not the checkpoint's. */
  readonly routerDtype?: Dtype;
  /** Always-on expert; width is the total over all shared experts. */
  readonly shared?: { readonly width: number; readonly gated: boolean; readonly gateVector: boolean };
  /** A dense block beside the experts in the same layer. */
  readonly parallelDense?: DenseFeedForward;
  /** Width of the space the routed experts work in, where it differs from the hidden size (latent experts). */
  readonly latentSize?: number;
}

export type FeedForward = DenseFeedForward | MixtureOfExperts | { readonly kind: "none" };

export interface LayerSpec {
  readonly mixer: Mixer;
  /** A second mixer in parallel with the first (Falcon-H1: attention beside Mamba). */
  readonly parallelMixer?: Mixer;
  readonly feedForward: FeedForward;
  /** Norm vectors of hidden size in this layer. */
  readonly normVectors: number;
  readonly normBias: boolean;
  /** Small matrices the family adds to a layer (per-layer embeddings and the like). */
  readonly extras?: readonly ProjectionShape[];
}

/** The mixer of a layer, and the one beside it where there are two. */
export function mixersOf({ mixer, parallelMixer }: LayerSpec): readonly Mixer[] {
  return parallelMixer === undefined ? [mixer] : [mixer, parallelMixer];
}

/** Whether some layers keep a state for each request in place of a cache that grows. */
export function keepsStates({ layerSpecs }: Pick<ModelArchitecture, "layerSpecs">): boolean {
  return layerSpecs.some((layer) => mixersOf(layer).some(({ kind }) => kind === "recurrent"));
}

/** A table or matrix outside the layers. */
export interface OuterTensor {
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
  readonly placement: "embedding" | "head";
  readonly split: "vocabulary" | "rows" | "none";
}

export interface VisionTower {
  readonly layers: number;
  readonly hiddenSize: number;
  readonly tensors: readonly (ProjectionShape & { readonly count: number })[];
  /** Every GPU of a tensor-parallel group holds the whole tower. */
  readonly replicated: boolean;
  /** Tower layers whose features are added to the first layers of the text model (Qwen3-VL: "deepstack"). */
  readonly stackedLayers: number;
  /** vLLM can be told to keep it whole on every GPU, and cut the batch instead (`--mm-encoder-tp-mode data`). */
  readonly dataParallel?: boolean;
}

/** Extra layers for multi-token prediction: in the checkpoint, not loaded for plain serving. */
export interface MultiTokenPrediction {
  readonly layerSpecs: readonly LayerSpec[];
  /** The checkpoint repeats the embedding and the head for every extra layer. */
  readonly repeatsEmbeddings: boolean;
}

/** One rotary table: positions × rotaryDim values on every GPU. */
export interface RotaryTable {
  readonly positions: number;
  readonly rotaryDim: number;
  /** Where it is not the model's. */
  readonly dtype?: Dtype;
}

/** What the checkpoint's own files say, where they were at hand. */
export interface StoredCheckpoint {
  /** An index alone has no shapes: what it says of all files together is exact, and any share of it is not. */
  readonly from: "headers" | "index";
  /** Bytes of the weight files: what is downloaded, stored and read. */
  readonly fileBytes: number;
  /** Number of weight files. */
  readonly files: number;
  /** Bytes of tensors by the type that they are stored in, the most first; names as in safetensors. */
  readonly bytesByType: Readonly<Record<string, number>>;
  /** Every tensor, where no reader knows the family; what a reader says of the others follows from `layerSpecs`. */
  readonly inventory?: readonly ModelTensor[];
  /** What of it deserves a look: where files and config.json differ, what was assumed of an unknown family. */
  readonly notes: readonly string[];
}

export type Dtype = "float32" | "float16" | "bfloat16";

export interface ModelArchitecture {
  readonly name?: string;
  /** `model_type` of the config (of the text model when nested). */
  readonly family: string;
  /** `architectures` of the config: names of the classes that its weights are for. @default the config names none */
  readonly classes?: readonly string[];
  readonly kind: "decoder" | "encoder";
  /** Number of transformer layers; `layerSpecs` has this length. */
  readonly layers: number;
  readonly layerSpecs: readonly LayerSpec[];
  readonly hiddenSize: number;
  readonly vocabSize: number;
  readonly tieEmbeddings: boolean;
  /** Bias on the output head (phi). */
  readonly headBias: boolean;
  /** Norm vectors after the last layer. */
  readonly finalNormVectors: number;
  readonly finalNormBias: boolean;
  readonly outerTensors: readonly OuterTensor[];
  /** Largest number of attention heads of any layer: what tensor parallelism must divide. 0: no attention. */
  readonly heads: number;
  /** KV heads of the attention layers (1 for latent attention, 0 without attention). */
  readonly kvHeads: number;
  readonly headDim: number;
  /** The experts of the first expert layer; absent for dense models. */
  readonly experts?: MixtureOfExperts;
  /** Longest sequence the config allows, after rope scaling where the config says so. */
  readonly maxContextTokens: number;
  /** Where yarn's factor gives another limit than the config states: vLLM's before 0.30.0 (memory/start-rules.ts). */
  readonly scaledContextTokens?: number;
  readonly rotaryTables: readonly RotaryTable[];
  readonly checkpointDtype: Dtype;
  readonly quantization: WeightFormat;
  readonly vision?: VisionTower;
  readonly multiTokenPrediction?: MultiTokenPrediction;
  /** Every GPU of a tensor-parallel group holds the whole table of token embeddings. */
  readonly wholeEmbedding: boolean;
  /** vLLM runs the family in one pipeline stage only. */
  readonly singleStage: boolean;
  /** dtype of the recurrent state where the config states one. */
  readonly recurrentStateDtype?: Dtype;
  /** Settings that the config leaves to its family's defaults. */
  readonly assumed: readonly AssumedSetting[];
  /** Why the size of the KV cache is not known: no figure of it may be used then. */
  readonly cacheDoubt?: string;
  readonly checkpoint?: StoredCheckpoint;
}

/** Bytes of one value. */
export const DTYPE_BYTES: Readonly<Record<Dtype, number>> = { float32: 4, float16: 2, bfloat16: 2 };
