/**
 * Gemma 4: global layers with their own head size, whose keys may serve as values too; experts beside a dense block;
 * per-layer embeddings and layers that reuse an earlier cache in the small models.
 * Source: transformers 5.23, modeling_gemma4.py and configuration_gemma4.py.
 */
import type { FeedForward, GroupedQueryAttention, LayerSpec, OuterTensor } from "../architecture";
import type { ConfigSource } from "../config-source";
import { readRope } from "../rope";
import { readGroupedQueryAttention, readLayerTypes } from "./attention";
import { dimensionKeys, type FamilyReader, type TextModel } from "./family";
import { readDense, readExperts } from "./feed-forward";
import { range } from "./hybrid-model";
import { matrix } from "./recurrent";
import type { DecoderTraits } from "./traits";

const traits: DecoderTraits = {
  queryKeyValueBias: { key: "attention_bias" },
  outputBias: { key: "attention_bias" },
  queryKeyNorm: "head",
  // the scale that each expert's output is multiplied by
  routerBias: true,
};

export const gemma4Reader: FamilyReader = { modelTypes: ["gemma4", "gemma4_text"], read: readGemma4 };

function readGemma4(source: ConfigSource): TextModel {
  const layers = source.count(dimensionKeys.layers);
  const hidden = source.size(dimensionKeys.hidden);
  const perLayerSize = source.optionalSize("hidden_size_per_layer_input") ?? 0;
  const sharedCaches = source.optionalCount("num_kv_shared_layers");
  if (sharedCaches >= layers) source.problem("num_kv_shared_layers", `must be below the ${layers} layers`);
  const firstShared = layers - sharedCaches;
  const attention = readAttention(source);
  const feedForward = readFeedForward(source);
  const types = readLayerTypes(source, layers);
  const isGlobal = (layer: number): boolean =>
    layer === layers - 1 || (types === undefined ? (layer + 1) % 6 === 0 : types[layer] === "full_attention");
  const layerSpecs = range(layers).map((layer): LayerSpec => {
    const own = isGlobal(layer) ? attention.global : attention.sliding;
    const reused = layer >= firstShared;
    return {
      mixer: reused ? { ...own, ownsCache: false, keyValueProjections: "none" } : own,
      feedForward: reused ? feedForward.inSharedLayers : feedForward.inOwnLayers,
      // four around the blocks; three more and the router's scale around experts; one for per-layer embeddings
      normVectors: 4 + (feedForward.hasExperts ? 4 : 0) + (perLayerSize > 0 ? 1 : 0),
      normBias: false,
      extras: [
        matrix("layer_scalar", 1, 1, "none"),
        ...(perLayerSize > 0
          ? [
              matrix("per_layer_input_gate", perLayerSize, hidden, "none"),
              matrix("per_layer_projection", hidden, perLayerSize, "none"),
            ]
          : []),
      ],
    };
  });
  const { maxContextTokens } = readRope(source, { headDim: attention.sliding.headDim });
  return {
    kind: "decoder",
    layerSpecs,
    rope: {
      maxContextTokens,
      // "proportional" scaling pads its table to the whole head
      tables: [attention.global, attention.sliding].map(({ headDim }) => ({
        positions: maxContextTokens,
        rotaryDim: headDim,
      })),
    },
    tieEmbeddingsByDefault: true,
    finalNormVectors: 1,
    finalNormBias: false,
    outerTensors: perLayerSize > 0 ? perLayerEmbeddings(source, layers * perLayerSize, perLayerSize, hidden) : [],
  };
}

function readAttention(source: ConfigSource): {
  readonly global: GroupedQueryAttention;
  readonly sliding: GroupedQueryAttention;
} {
  const base = readGroupedQueryAttention(source, traits);
  const keysAreValues = source.flag("attention_k_eq_v", false);
  return {
    global: {
      ...base,
      headDim: source.size("global_head_dim", 512),
      kvHeads: keysAreValues ? source.count("num_global_key_value_heads", base.kvHeads) : base.kvHeads,
      ...(keysAreValues && { keyValueProjections: "keys" }),
    },
    sliding: { ...base, scope: { kind: "sliding", windowTokens: source.size("sliding_window", 512) } },
  };
}

function readFeedForward(source: ConfigSource): {
  readonly inOwnLayers: FeedForward;
  readonly inSharedLayers: FeedForward;
  readonly hasExperts: boolean;
} {
  const dense = readDense(source, traits, dimensionKeys.intermediate);
  const wide = source.flag("use_double_wide_mlp", false) ? { ...dense, width: 2 * dense.width } : dense;
  const experts = source.flag("enable_moe_block", false) ? readExperts(source, traits) : undefined;
  if (experts === undefined) return { inOwnLayers: dense, inSharedLayers: wide, hasExperts: false };
  return {
    inOwnLayers: { ...experts, parallelDense: dense },
    inSharedLayers: { ...experts, parallelDense: wide },
    hasExperts: true,
  };
}

function perLayerEmbeddings(
  source: ConfigSource,
  columns: number,
  perLayerSize: number,
  hidden: number,
): readonly OuterTensor[] {
  const placement = "embedding";
  const vocabulary = source.size("vocab_size_per_layer_input", source.size("vocab_size"));
  return [
    { name: "model.embed_tokens_per_layer", rows: vocabulary, columns, placement, split: "vocabulary" },
    { name: "model.per_layer_model_projection", rows: columns, columns: hidden, placement, split: "none" },
    { name: "model.per_layer_projection_norm", rows: perLayerSize, columns: 1, placement, split: "none" },
  ];
}
