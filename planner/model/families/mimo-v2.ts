/**
 * MiMo-V2-Flash: sliding layers with their own heads and attention sinks, values narrower than
 * keys. Source: transformers 5.23, modeling_mimo_v2_flash.py.
 */
import type { GroupedQueryAttention, LayerSpec } from "../architecture";
import type { ConfigSource } from "../config-source";
import { readRope } from "../rope";
import { readGroupedQueryAttention, readLayerTypes } from "./attention";
import { DIMENSION_KEYS, type FamilyReader, type TextModel } from "./family";
import { readFeedForwardLayers } from "./feed-forward";
import { none, range } from "./hybrid-model";
import type { DecoderTraits } from "./traits";

const traits: DecoderTraits = {
  queryKeyValueBias: { key: "attention_bias" },
  routerBias: { key: "topk_method" },
  leadingDenseLayers: 1,
};

/** In files by transformers the first layer and every sixth are full. */
const FULL_PERIOD = 6;

export const mimoV2Reader: FamilyReader = { modelTypes: ["mimo_v2_flash"], read: readMimoV2 };

function readMimoV2(source: ConfigSource): TextModel {
  const layers = source.count(DIMENSION_KEYS.layers);
  const { full, sliding } = readAttention(source);
  const isSliding = readPattern(source, layers);
  const feedForwards = readFeedForwardLayers(source, layers, traits);
  const rope = readRope(source, { headDim: full.headDim, separateSlidingTable: true });
  return {
    kind: "decoder",
    layerSpecs: range(layers).map(
      (layer): LayerSpec => ({
        mixer: isSliding(layer) ? sliding : full,
        feedForward: feedForwards[layer] ?? none,
        normVectors: 2,
        normBias: false,
      }),
    ),
    rope,
    tieEmbeddingsByDefault: false,
    finalNormVectors: 1,
    finalNormBias: false,
  };
}

/** Published files have a pattern, where 1 slides; transformers writes layer types. */
function readPattern(source: ConfigSource, layers: number): (layer: number) => boolean {
  if (!source.has("hybrid_layer_pattern")) {
    const types = readLayerTypes(source, layers);
    if (types !== undefined) {
      return (layer) => types[layer] === "sliding_attention";
    }
    return (layer) => layer > 0 && (layer + 1) % FULL_PERIOD !== 0;
  }
  const pattern = source.integerList("hybrid_layer_pattern");
  if (pattern.length < layers) {
    source.problem("hybrid_layer_pattern", `has ${pattern.length} entries for ${layers} layers`);
  }
  return (layer) => pattern[layer] === 1;
}

/**
 * Published files state sliding layers; files by transformers have fixed ones: twice the KV heads,
 * sinks.
 */
function readAttention(source: ConfigSource): {
  readonly full: GroupedQueryAttention;
  readonly sliding: GroupedQueryAttention;
} {
  const base = readGroupedQueryAttention(source, traits);
  const valueHeadDim = source.size("v_head_dim", base.headDim);
  const published = source.has("hybrid_layer_pattern");
  return {
    full: { ...base, valueHeadDim, sinks: source.flag("add_full_attention_sink_bias", false) },
    sliding: {
      ...base,
      scope: { kind: "sliding", windowTokens: source.size(["sliding_window", "sliding_window_size"]) },
      heads: source.count("swa_num_attention_heads", base.heads),
      kvHeads: source.count("swa_num_key_value_heads", published ? base.kvHeads : 2 * base.kvHeads),
      headDim: source.size("swa_head_dim", base.headDim),
      valueHeadDim: source.size("swa_v_head_dim", valueHeadDim),
      sinks: source.flag("add_swa_attention_sink_bias", !published),
    },
  };
}
