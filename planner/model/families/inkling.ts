/**
 * Inkling: relative positions, short convolutions after keys, values and both blocks, sliding
 * layers with their own heads, shared experts weighed by the router like others. Sources:
 * transformers 5.19, modeling_inkling.py; vLLM 0.33, models/inkling/nvidia (attention.py,
 * sconv_swa_attn.py).
 */
import type { GroupedQueryAttention, LayerSpec, ProjectionShape, WindowedConvolution } from "../architecture";
import type { ConfigSource } from "../config-source";
import { readRope } from "../rope";
import { readGroupedQueryAttention, readLayerTypes } from "./attention";
import { DIMENSION_KEYS, type FamilyReader, type TextModel } from "./family";
import { readFeedForwardLayers } from "./feed-forward";
import { none, range } from "./hybrid-model";
import { matrix } from "./recurrent";
import type { DecoderTraits } from "./traits";

const traits: DecoderTraits = { queryKeyNorm: "head" };

export const inklingReader: FamilyReader = { modelTypes: ["inkling_text"], read: readInkling };

interface Attention {
  readonly attention: GroupedQueryAttention;
  readonly convolution: WindowedConvolution;
  readonly positions: readonly ProjectionShape[];
}

function readInkling(source: ConfigSource): TextModel {
  const layers = source.count(DIMENSION_KEYS.layers);
  const hidden = source.size(DIMENSION_KEYS.hidden);
  const { full, sliding } = readAttention(source, hidden);
  const slides = slidingLayerTest(source, layers);
  const feedForwards = readFeedForwardLayers(source, layers, traits);
  const router = sharedExpertRouting(source.optionalCount("n_shared_experts"), hidden);
  const layerSpecs = range(layers).map((layer): LayerSpec => {
    const own = slides(layer) ? sliding : full;
    const feedForward = feedForwards[layer] ?? none;
    return {
      mixer: own.attention,
      parallelMixer: own.convolution,
      feedForward,
      normVectors: 2,
      normBias: false,
      extras: [...own.positions, ...(feedForward.kind === "experts" ? router : [])],
    };
  });
  return {
    kind: "decoder",
    layerSpecs,
    rope: { maxContextTokens: readRope(source, { headDim: full.attention.headDim }).maxContextTokens, tables: [] },
    tieEmbeddingsByDefault: false,
    finalNormVectors: 1,
    finalNormBias: false,
    outerTensors: [
      { name: "model.embed_tokens.embed_norm", rows: hidden, columns: 1, placement: "embedding", split: "none" },
    ],
    wholeEmbedding: true,
  };
}

function readAttention(
  source: ConfigSource,
  hidden: number,
): { readonly full: Attention; readonly sliding: Attention } {
  const base = readGroupedQueryAttention(source, traits);
  const windowTokens = source.size("sliding_window_size", 512);
  const own: GroupedQueryAttention = {
    ...base,
    scope: { kind: "sliding", windowTokens },
    heads: source.count("swa_num_attention_heads", base.heads),
    kvHeads: source.count("swa_num_key_value_heads", base.kvHeads),
    headDim: source.size("swa_head_dim", base.headDim),
  };
  const withPositions = (attention: GroupedQueryAttention, reach: number): Attention => ({
    attention,
    convolution: readConvolution(source, attention, hidden),
    positions: relativePositions(attention, source.size("d_rel", 16), reach, hidden),
  });
  return {
    full: withPositions(base, source.size("rel_extent", 1024)),
    sliding: withPositions(own, windowTokens),
  };
}

/** Four streams, packed per KV head and padded to a power of two (vLLM: InklingConvState). */
function readConvolution(
  source: ConfigSource,
  { kvHeads, headDim }: GroupedQueryAttention,
  hidden: number,
): WindowedConvolution {
  const kernel = source.count(["conv_kernel_size", "sconv_kernel_size"], 4);
  const packed = 2 * headDim + 2 * Math.floor(hidden / kvHeads);
  return {
    kind: "windowed-convolution",
    windowTokens: kernel,
    kvHeads,
    valuesPerHead: 2 ** Math.ceil(Math.log2(packed)),
    projections: [
      matrix("self_attn.k_sconv", kvHeads * headDim, kernel, "outputs"),
      matrix("self_attn.v_sconv", kvHeads * headDim, kernel, "outputs"),
      matrix("attn_sconv", hidden, kernel, "outputs"),
      matrix("mlp_sconv", hidden, kernel, "outputs"),
    ],
  };
}

/** Added to a query's score by distance: a few features per head, and a table of distances. */
function relativePositions(
  { heads }: GroupedQueryAttention,
  features: number,
  reach: number,
  hidden: number,
): readonly ProjectionShape[] {
  return [
    matrix("self_attn.r_proj", heads * features, hidden, "outputs"),
    matrix("self_attn.rel_logits", features, reach, "none"),
  ];
}

/** The router's rows for shared experts, and the scale of its weights. */
function sharedExpertRouting(shared: number, hidden: number): readonly ProjectionShape[] {
  return [
    ...(shared > 0 ? [matrix("mlp.gate.shared", shared, hidden, "none")] : []),
    matrix("mlp.gate.global_scale", 1, 1, "none"),
  ];
}

/** `layer_types` or `local_layer_ids`; without either, every sixth layer is full. */
function slidingLayerTest(source: ConfigSource, layers: number): (layer: number) => boolean {
  const types = readLayerTypes(source, layers);
  if (types !== undefined) {
    return (layer) => types[layer] === "hybrid_sliding";
  }
  if (!source.has("local_layer_ids")) {
    return (layer) => (layer + 1) % 6 !== 0;
  }
  const local = new Set(source.integerList("local_layer_ids"));
  return (layer) => local.has(layer);
}
