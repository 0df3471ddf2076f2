/**
 * A model's structure as plain data: all that the memory planner knows of it. Family readers
 * (./families) fill it from a Hugging Face config.json; it depends on no engine.
 */
import type { AssumedSetting } from "./assumed";
import type { WeightFormat } from "./quantization";
import type { ModelTensor } from "./tensors";

/** How far back a token attends. Bounded scopes cache at most `windowTokens` tokens. */
export type AttentionScope =
  | { readonly kind: "full" }
  | { readonly kind: "sliding"; readonly windowTokens: number }
  | { readonly kind: "chunked"; readonly windowTokens: number };

/** Multi-head, grouped-query or multi-query attention. */
export interface GroupedQueryAttention {
  readonly kind: "attention";
  readonly scope: AttentionScope;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  /** Set where values are narrower than queries and keys (MiMo-V2). */
  readonly valueHeadDim?: number;
  readonly queryKeyValueBias: boolean;
  readonly outputBias: boolean;
  /** "head": a norm of headDim for all heads; "projection": a norm over the whole projection. */
  readonly queryKeyNorm: "none" | "head" | "projection";
  /** The query projection also produces an output gate of its width (Qwen3-Next). */
  readonly outputGate: boolean;
  /** One learned attention sink per head (gpt-oss). */
  readonly sinks: boolean;
  /** False in encoders, and where a layer reuses earlier keys and values (Gemma 4). */
  readonly ownsCache: boolean;
  /** Chooses blocks of keys for a sparse layer; its keys stay in 16 bits (MiniMax-M3). */
  readonly indexer?: SparseIndexer;
  /** True where an earlier layer, with its own cache, holds the projections (HRM, Zamba 2). */
  readonly borrowsWeights?: boolean;
  /** "keys": also the values; "none": both from an earlier layer. Absent: keys and values. */
  readonly keyValueProjections?: "keys" | "none";
}

/** Scores earlier tokens so that attention reads only the best; has its own key cache. */
export interface SparseIndexer {
  readonly heads: number;
  readonly headDim: number;
}

/** Multi-head latent attention (DeepSeek): a compressed vector per token gives keys and values. */
export interface LatentAttention {
  readonly kind: "latent";
  readonly heads: number;
  /** Absent: uncompressed queries. */
  readonly queryLoraRank?: number;
  readonly kvLoraRank: number;
  readonly nopeHeadDim: number;
  readonly ropeHeadDim: number;
  readonly valueHeadDim: number;
  /** The compressed vector, or every head's keys and values, as wide as a query (MiniCPM3). */
  readonly caches: "latent" | "heads";
  /** With its own key cache (DeepSeek-V3.2). */
  readonly indexer?: SparseIndexer;
}

/**
 * Attention to a sliding window of latent vectors and, in compressing layers, to one vector per
 * `rate` earlier tokens (DeepSeek-V4). Keys are values, and every GPU holds the whole cache.
 */
export interface CompressedAttention {
  readonly kind: "compressed";
  readonly heads: number;
  /** Width of a head and of a cached vector; rotary embedding covers the last `ropeHeadDim`. */
  readonly headDim: number;
  readonly ropeHeadDim: number;
  readonly queryLoraRank: number;
  /** Groups of heads of the output projection, each with its own low rank. */
  readonly outputGroups: number;
  readonly outputLoraRank: number;
  readonly windowTokens: number;
  /** overlaps: a vector covers its tokens and those of the previous one. */
  readonly compression?: { readonly rate: number; readonly overlaps: boolean };
  /** Chooses compressed vectors, with its own compressor and cache. */
  readonly indexer?: SparseIndexer;
}

/** A layer with a fixed state per sequence in place of a growing cache. */
export interface RecurrentMixer {
  readonly kind: "recurrent";
  readonly variant: "mamba1" | "mamba2" | "gated-delta-net" | "kimi-delta" | "lightning" | "short-convolution";
  /** Per sequence, all heads. */
  readonly convolutionStateElements: number;
  /** SSM or linear-attention state per sequence, all heads. */
  readonly recurrentStateElements: number;
  /** Heads sharing inputs by groups (Mamba 2). */
  readonly grouping?: HeadGrouping;
  readonly projections: readonly ProjectionShape[];
}

/** vLLM repeats a single group on every GPU; several must divide evenly (mamba_mixer2.py). */
export interface HeadGrouping {
  readonly heads: number;
  readonly groups: number;
  /** The groups' share, elements per sequence. */
  readonly convolutionStateElements: number;
}

/**
 * Short convolutions over keys, values and layer outputs, whose last inputs stay in KV cache pages
 * (Inkling): a window as long as the kernel.
 */
export interface WindowedConvolution {
  readonly kind: "windowed-convolution";
  readonly windowTokens: number;
  /** Limit of tensor parallelism, which splits them. */
  readonly kvHeads: number;
  /** Per token and head, padding included. */
  readonly valuesPerHead: number;
  readonly projections: readonly ProjectionShape[];
}

/** Matrix (outputs × inputs) or, with inputs 1, vector; split: how tensor parallelism cuts it. */
export interface ProjectionShape {
  readonly name: string;
  readonly outputs: number;
  readonly inputs: number;
  readonly split: "outputs" | "inputs" | "none";
  /** Indivisible pieces of the outputs, repeated on further GPUs. */
  readonly units?: number;
  /** Set where the engine's dtype differs from the checkpoint's. */
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
  /** Three matrices (SwiGLU and relatives) in place of two. */
  readonly gated: boolean;
  readonly bias: boolean;
}

export interface MixtureOfExperts {
  readonly kind: "experts";
  readonly experts: number;
  readonly expertsPerToken: number;
  /** Router slots without weights: tokens pass unchanged (LongCat). */
  readonly zeroExperts?: number;
  readonly width: number;
  readonly gated: boolean;
  readonly bias: boolean;
  readonly routerBias: boolean;
  /** Set where the engine's dtype differs from the checkpoint's. */
  readonly routerDtype?: Dtype;
  /** Always-on expert; width is the sum over shared experts. */
  readonly shared?: { readonly width: number; readonly gated: boolean; readonly gateVector: boolean };
  /** Dense block next to the experts of a layer. */
  readonly parallelDense?: DenseFeedForward;
  /** Width of the routed experts' space, where not the hidden size (latent experts). */
  readonly latentSize?: number;
}

export type FeedForward = DenseFeedForward | MixtureOfExperts | { readonly kind: "none" };

export interface LayerSpec {
  readonly mixer: Mixer;
  /** Second mixer in parallel (Falcon-H1: attention next to Mamba). */
  readonly parallelMixer?: Mixer;
  readonly feedForward: FeedForward;
  /** Of hidden size, in this layer. */
  readonly normVectors: number;
  readonly normBias: boolean;
  /** Small family-specific matrices (per-layer embeddings and the like). */
  readonly extras?: readonly ProjectionShape[];
}

export function mixersOf({ mixer, parallelMixer }: LayerSpec): readonly Mixer[] {
  return parallelMixer === undefined ? [mixer] : [mixer, parallelMixer];
}

/** Whether layers keep a state per request in place of a growing cache. */
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
  /** Tower layers whose features join the first text layers (Qwen3-VL: "deepstack"). */
  readonly stackedLayers: number;
  /** vLLM can keep it whole on every GPU and split the batch (`--mm-encoder-tp-mode data`). */
  readonly dataParallel?: boolean;
}

/** Layers for multi-token prediction: in the checkpoint, not loaded for plain serving. */
export interface MultiTokenPrediction {
  readonly layerSpecs: readonly LayerSpec[];
  /** The checkpoint repeats embedding and head per extra layer. */
  readonly repeatsEmbeddings: boolean;
}

/** positions × rotaryDim values on every GPU. */
export interface RotaryTable {
  readonly positions: number;
  readonly rotaryDim: number;
  /** Set where it differs from the model's. */
  readonly dtype?: Dtype;
}

/** From the checkpoint's files, where available. */
export interface StoredCheckpoint {
  /** An index alone has no shapes: totals are exact, shares are not. */
  readonly from: "headers" | "index";
  /** Bytes to download, store and read. */
  readonly fileBytes: number;
  readonly files: number;
  /** By stored type, largest first; names as in safetensors. */
  readonly bytesByType: Readonly<Record<string, number>>;
  /** Every tensor, for families without a reader; otherwise `layerSpecs` gives them. */
  readonly inventory?: readonly ModelTensor[];
  /** Differences between files and config.json, and assumptions on unknown families. */
  readonly notes: readonly string[];
}

export type Dtype = "float32" | "float16" | "bfloat16";

export interface ModelArchitecture {
  readonly name?: string;
  /** `model_type` of the config (of the text model when nested). */
  readonly family: string;
  /** `architectures` of the config. @default none */
  readonly classes?: readonly string[];
  readonly kind: "decoder" | "encoder";
  /** Length of `layerSpecs`. */
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
  /** Most attention heads of a layer, which tensor parallelism must divide. 0: no attention. */
  readonly heads: number;
  /** Of attention layers (1 for latent attention, 0 without attention). */
  readonly kvHeads: number;
  readonly headDim: number;
  /** Of the first expert layer; absent for dense models. */
  readonly experts?: MixtureOfExperts;
  /** Longest sequence allowed, after rope scaling where the config states it. */
  readonly maxContextTokens: number;
  /** Set where yarn's factor gives another limit: vLLM's before 0.30.0 (memory/start-rules.ts). */
  readonly scaledContextTokens?: number;
  readonly rotaryTables: readonly RotaryTable[];
  readonly checkpointDtype: Dtype;
  readonly quantization: WeightFormat;
  readonly vision?: VisionTower;
  readonly multiTokenPrediction?: MultiTokenPrediction;
  /** Every GPU of a tensor-parallel group holds the whole embedding table. */
  readonly wholeEmbedding: boolean;
  /** vLLM runs the family in one pipeline stage. */
  readonly singleStage: boolean;
  /** Set where the config states it. */
  readonly recurrentStateDtype?: Dtype;
  /** Settings taken from the family's defaults. */
  readonly assumed: readonly AssumedSetting[];
  /** Why the KV cache size is unknown; its figures must not be used then. */
  readonly cacheDoubt?: string;
  readonly checkpoint?: StoredCheckpoint;
}

export const DTYPE_BYTES: Readonly<Record<Dtype, number>> = { float32: 4, float16: 2, bfloat16: 2 };
