/** Families that mix full or latent attention with linear attention. */
import type { Mixer } from "../architecture";
import type { ConfigSource } from "../config-source";
import { readAttentionLayers, readGroupedQueryAttention, readLayerTypes } from "./attention";
import { DIMENSION_KEYS, type FamilyReader } from "./family";
import { readFeedForwardLayers } from "./feed-forward";
import { hybridLayers, hybridModel, none } from "./hybrid-model";
import { gatedDeltaNet, kimiDelta, lightningAttention } from "./recurrent";
import type { DecoderTraits } from "./traits";

/** Qwen3-Next and Qwen3.5: three gated delta nets per gated full-attention layer. */
const qwen3Next: FamilyReader = {
  modelTypes: ["qwen3_next", "qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text"],
  read(source) {
    const layers = source.count(DIMENSION_KEYS.layers);
    const traits: DecoderTraits = {
      queryKeyValueBias: { key: "attention_bias" },
      outputBias: { key: "attention_bias" },
      queryKeyNorm: "head",
      sharedExpertGate: true,
    };
    const attention = {
      ...readGroupedQueryAttention(source, traits),
      outputGate: source.flag("attn_output_gate", true),
    };
    const linear = gatedDeltaNet({
      hidden: source.size(DIMENSION_KEYS.hidden),
      keyHeads: source.count("linear_num_key_heads"),
      valueHeads: source.count("linear_num_value_heads"),
      keyHeadDim: source.size("linear_key_head_dim"),
      valueHeadDim: source.size("linear_value_head_dim"),
      kernel: source.count("linear_conv_kernel_dim", 4),
    });
    const types = readLayerTypes(source, layers);
    const interval = source.count("full_attention_interval", 4);
    const isFull = (layer: number): boolean =>
      types === undefined ? (layer + 1) % interval === 0 : types[layer] === "full_attention";
    const layerSpecs = hybridLayers(readFeedForwardLayers(source, layers, traits), (layer) =>
      isFull(layer) ? attention : linear,
    );
    const extraLayers = source.optionalCount(["mtp_num_hidden_layers", "num_nextn_predict_layers"]);
    const last = layerSpecs.at(-1);
    return {
      ...hybridModel(source, layerSpecs, { tables: true }),
      ...(extraLayers > 0 &&
        last !== undefined && {
          multiTokenPrediction: {
            layerSpecs: Array.from({ length: extraLayers }, () => last),
            repeatsEmbeddings: false,
          },
        }),
    };
  },
};

/**
 * OLMo Hybrid: three gated delta nets per full-attention layer, heads derived where the config is
 * silent.
 */
const olmoHybrid: FamilyReader = {
  modelTypes: ["olmo_hybrid"],
  read(source) {
    const layers = source.count(DIMENSION_KEYS.layers);
    const hidden = source.size(DIMENSION_KEYS.hidden);
    const attention = readGroupedQueryAttention(source, {
      queryKeyValueBias: { key: "attention_bias" },
      outputBias: { key: "attention_bias" },
      queryKeyNorm: "projection",
    });
    const keyHeads = source.count("linear_num_key_heads", attention.heads);
    const keyHeadDim = source.size("linear_key_head_dim", Math.max(1, Math.floor((0.75 * hidden) / keyHeads)));
    const linear = gatedDeltaNet({
      hidden,
      keyHeads,
      valueHeads: source.count("linear_num_value_heads", attention.heads),
      keyHeadDim,
      valueHeadDim: source.size("linear_value_head_dim", 2 * keyHeadDim),
      kernel: source.count("linear_conv_kernel_dim", 4),
    });
    const types = readLayerTypes(source, layers);
    const isFull = (layer: number): boolean =>
      types === undefined ? layer % 4 === 3 : types[layer] === "full_attention";
    const layerSpecs = hybridLayers(readFeedForwardLayers(source, layers, {}), (layer) =>
      isFull(layer) ? attention : linear,
    );
    return hybridModel(source, layerSpecs, { tables: source.section("rope_parameters")?.has("rope_theta") ?? true });
  },
};

/** MiniMax-Text-01: lightning attention unless `attn_type_list` or `layer_types` says full. */
const miniMaxText: FamilyReader = {
  modelTypes: ["minimax", "minimax_text_01"],
  read(source) {
    const layers = source.count(DIMENSION_KEYS.layers);
    const attention = readGroupedQueryAttention(source, {});
    const linear = lightningAttention({
      hidden: source.size(DIMENSION_KEYS.hidden),
      heads: attention.heads,
      headDim: attention.headDim,
    });
    const types = readLayerTypes(source, layers);
    const list = source.integerList("attn_type_list");
    if (types === undefined && list.length !== layers) {
      source.problem("attn_type_list", `must have one entry per layer (${layers})`);
    }
    const isFull = (layer: number): boolean =>
      types === undefined ? list[layer] === 1 : types[layer] === "full_attention";
    const layerSpecs = hybridLayers(
      readFeedForwardLayers(source, layers, { expertWidthKey: "intermediate_size" }),
      (layer) => (isFull(layer) ? attention : linear),
    );
    return hybridModel(source, layerSpecs, { tables: true });
  },
};

/** Kimi Linear: Kimi delta attention, latent attention in some layers. */
const kimiLinear: FamilyReader = {
  modelTypes: ["kimi_linear"],
  read(source) {
    const layers = source.count(DIMENSION_KEYS.layers);
    const latent = readAttentionLayers(source, layers, {});
    const linear: Mixer = readKimiDelta(source);
    const isFull = fullKimiLayers(source, layers);
    const layerSpecs = hybridLayers(readFeedForwardLayers(source, layers, { routerBias: true }), (layer) =>
      isFull(layer) ? (latent[layer] ?? none) : linear,
    );
    const model = hybridModel(source, layerSpecs, { tables: false });
    // vLLM 0.19 to 0.33, mamba_utils.py: kda_state_dtype
    return { ...model, recurrentStateDtype: model.recurrentStateDtype ?? "float32" };
  },
};

/** Published files have a section for it; transformers writes its settings on the top level. */
function readKimiDelta(source: ConfigSource): Mixer {
  const section = source.section("linear_attn_config");
  return kimiDelta({
    hidden: source.size(DIMENSION_KEYS.hidden),
    heads: section === undefined ? source.count("linear_num_heads") : section.count("num_heads"),
    headDim: section === undefined ? source.size("linear_head_dim") : section.size("head_dim"),
    kernel:
      section === undefined ? source.count("linear_conv_kernel_dim", 4) : section.count("short_conv_kernel_size", 4),
  });
}

/** A list that counts from 1, or the type of each layer. */
function fullKimiLayers(source: ConfigSource, layers: number): (layer: number) => boolean {
  const section = source.section("linear_attn_config");
  const types = section === undefined ? readLayerTypes(source, layers) : undefined;
  if (types !== undefined) {
    return (layer) => types[layer] === "full_attention";
  }
  if (section === undefined) {
    source.problem("linear_attn_config", "is missing, and so is layer_types");
  }
  const listed = new Set(section?.integerList("full_attn_layers") ?? []);
  return (layer) => listed.has(layer + 1);
}

export const linearAttentionReaders: readonly FamilyReader[] = [qwen3Next, olmoHybrid, miniMaxText, kimiLinear];
