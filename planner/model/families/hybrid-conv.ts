/**
 * Liquid's LFM2: gated short convolutions, grouped-query attention in listed layers. Sources:
 * transformers 5.19, modeling_lfm2.py, modeling_lfm2_moe.py; vLLM 0.33, lfm2.py, lfm2_moe.py.
 */
import type { LayerSpec } from "../architecture";
import type { ConfigSource } from "../config-source";
import { readGroupedQueryAttention, readLayerTypes } from "./attention";
import { DIMENSION_KEYS, type FamilyReader, type TextModel } from "./family";
import { readDense, readFeedForwardLayers } from "./feed-forward";
import { hybridModel, none, range } from "./hybrid-model";
import { shortConvolution } from "./recurrent";
import type { DecoderTraits } from "./traits";

const traits: DecoderTraits = { queryKeyNorm: "head", routerBias: { key: "use_expert_bias", absent: true } };

export const shortConvolutionReader: FamilyReader = { modelTypes: ["lfm2", "lfm2_moe"], read: readLfm2 };

function readLfm2(source: ConfigSource): TextModel {
  const layers = source.count(DIMENSION_KEYS.layers);
  const attention = readGroupedQueryAttention(source, traits);
  const convolution = shortConvolution({
    hidden: source.size(DIMENSION_KEYS.hidden),
    kernel: source.count("conv_L_cache", 3),
    bias: source.flag("conv_bias", false),
  });
  const hasAttention = attentionLayerTest(source, layers);
  const feedForwards = source.has("num_experts") ? readFeedForwardLayers(source, layers, traits) : undefined;
  const dense = feedForwards === undefined ? readAdjustedDense(source) : none;
  const layerSpecs = range(layers).map(
    (layer): LayerSpec => ({
      mixer: hasAttention(layer) ? attention : convolution,
      feedForward: feedForwards?.[layer] ?? dense,
      normVectors: 2,
      normBias: false,
    }),
  );
  const tieKey = source.firstKey("tie_embedding", "tie_word_embeddings") ?? "tie_word_embeddings";
  return { ...hybridModel(source, layerSpecs, { tables: true }), tieEmbeddingsByDefault: source.flag(tieKey, true) };
}

/** `layer_types` or `full_attn_idxs`; without either, every layer. */
function attentionLayerTest(source: ConfigSource, layers: number): (layer: number) => boolean {
  const types = readLayerTypes(source, layers);
  if (types !== undefined) {
    return (layer) => types[layer] === "full_attention";
  }
  if (!source.has("full_attn_idxs")) {
    return () => true;
  }
  const indices = new Set(source.integerList("full_attn_idxs"));
  return (layer) => indices.has(layer);
}

/** The stated width is for two matrices; three of the same weight have two thirds, rounded up. */
function readAdjustedDense(source: ConfigSource) {
  const dense = readDense(source, traits, ["block_ff_dim", ...DIMENSION_KEYS.intermediate]);
  if (!source.flag("block_auto_adjust_ff_dim", true)) {
    return dense;
  }
  const multiple = source.count("block_multiple_of", 256);
  const adjusted = Math.floor(source.factor("block_ffn_dim_multiplier", 1) * Math.floor((2 * dense.width) / 3));
  return { ...dense, width: multiple * Math.max(1, Math.ceil(adjusted / multiple)) };
}
