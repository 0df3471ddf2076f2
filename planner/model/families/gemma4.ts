/**
 * Gemma 4: global layers with their own head size, whose keys may also be values; experts next to a
 * dense block; per-layer embeddings and cache reuse in small models. Source: transformers 5.23,
 * modeling_gemma4.py and configuration_gemma4.py.
 */
import type { AttentionScope, FeedForward, GroupedQueryAttention, LayerSpec } from "../architecture";
import type { ConfigSource } from "../config-source";
import { readRope } from "../rope";
import { readGroupedQueryAttention, readLayerTypes } from "./attention";
import { DIMENSION_KEYS, type FamilyReader, type TextModel } from "./family";
import { readDense, readExperts } from "./feed-forward";
import { firstReusingLayer, perLayerEmbeddings, perLayerMixing, reuseCache } from "./gemma-layers";
import { range } from "./hybrid-model";
import type { DecoderTraits } from "./traits";

const traits: DecoderTraits = {
  queryKeyValueBias: { key: "attention_bias" },
  outputBias: { key: "attention_bias" },
  queryKeyNorm: "head",
  // scale of each expert's output
  routerBias: true,
};

export const gemma4Reader: FamilyReader = {
  modelTypes: ["gemma4", "gemma4_text", "gemma4_unified", "gemma4_unified_text"],
  read: readGemma4,
};

function readGemma4(source: ConfigSource): TextModel {
  const layers = source.count(DIMENSION_KEYS.layers);
  const hidden = source.size(DIMENSION_KEYS.hidden);
  const perLayerSize = source.optionalSize("hidden_size_per_layer_input") ?? 0;
  const firstReusing = firstReusingLayer(source, layers);
  const attention = readAttention(source, layers);
  const feedForward = readFeedForward(source);
  const layerSpecs = attention.map((own, layer): LayerSpec => {
    const reused = layer >= firstReusing;
    return {
      mixer: reused ? reuseCache(own) : own,
      feedForward: reused ? feedForward.inSharedLayers : feedForward.inOwnLayers,
      // four around the blocks; three more and the router's scale around experts; one for per-layer
      // embeddings. A layer's output scale is a buffer of one value and left out.
      normVectors: 4 + (feedForward.hasExperts ? 4 : 0) + (perLayerSize > 0 ? 1 : 0),
      normBias: false,
      extras: perLayerSize > 0 ? perLayerMixing(hidden, perLayerSize) : [],
    };
  });
  const headDims = (scope: AttentionScope["kind"]): number =>
    attention.find((mixer) => mixer.scope.kind === scope)?.headDim ?? 1;
  const { maxContextTokens } = readRope(source, { headDim: headDims("sliding") });
  return {
    kind: "decoder",
    layerSpecs,
    rope: {
      maxContextTokens,
      // "proportional" scaling pads its table to the whole head
      tables: [headDims("full"), headDims("sliding")].map((rotaryDim) => ({ positions: maxContextTokens, rotaryDim })),
    },
    tieEmbeddingsByDefault: true,
    finalNormVectors: 1,
    finalNormBias: false,
    outerTensors: perLayerSize > 0 ? perLayerEmbeddings(source, layers, perLayerSize, hidden) : [],
  };
}

/** The last layer is global whatever the config says. */
function readAttention(source: ConfigSource, layers: number): readonly GroupedQueryAttention[] {
  const base = readGroupedQueryAttention(source, traits);
  const keysAreValues = source.flag("attention_k_eq_v", false);
  const global: GroupedQueryAttention = {
    ...base,
    headDim: source.size("global_head_dim", 512),
    kvHeads: keysAreValues ? source.count("num_global_key_value_heads", base.kvHeads) : base.kvHeads,
    ...(keysAreValues && { keyValueProjections: "keys" }),
  };
  const sliding: GroupedQueryAttention = {
    ...base,
    scope: { kind: "sliding", windowTokens: source.size("sliding_window", 512) },
  };
  const types = readLayerTypes(source, layers);
  const isGlobal = (layer: number): boolean =>
    layer === layers - 1 || (types === undefined ? (layer + 1) % 6 === 0 : types[layer] === "full_attention");
  const overrides = readOverrides(source);
  return range(layers).map((layer) => {
    const own = isGlobal(layer) ? global : sliding;
    const stated = overrides.get(layer);
    if (stated === undefined) {
      return own;
    }
    return {
      ...own,
      headDim: stated.size("head_dim", own.headDim),
      kvHeads: stated.count("num_key_value_heads", own.kvHeads),
    };
  });
}

/** `per_layer_config`: overrides for global layers by number, in transformers 5.19's spelling. */
function readOverrides(source: ConfigSource): ReadonlyMap<number, ConfigSource> {
  const section = source.section("per_layer_config");
  const numbers = section?.keys().filter((key) => /^\d{1,4}$/.test(key)) ?? [];
  return new Map(
    numbers.flatMap((key): [number, ConfigSource][] => {
      const stated = section?.section(key);
      return stated === undefined ? [] : [[Number(key), stated]];
    }),
  );
}

function readFeedForward(source: ConfigSource): {
  readonly inOwnLayers: FeedForward;
  readonly inSharedLayers: FeedForward;
  readonly hasExperts: boolean;
} {
  const dense = readDense(source, traits, DIMENSION_KEYS.intermediate);
  const wide = source.flag("use_double_wide_mlp", false) ? { ...dense, width: 2 * dense.width } : dense;
  const experts = source.flag("enable_moe_block", false) ? readExperts(source, traits) : undefined;
  if (experts === undefined) {
    return { inOwnLayers: dense, inSharedLayers: wide, hasExperts: false };
  }
  return {
    inOwnLayers: { ...experts, parallelDense: dense },
    inSharedLayers: { ...experts, parallelDense: wide },
    hasExperts: true,
  };
}
