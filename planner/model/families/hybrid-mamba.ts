import type { FeedForward, LayerSpec, RecurrentMixer } from "../architecture";
import type { ConfigSource } from "../config-source";
import { ownValue } from "../own-value";
import { readGroupedQueryAttention, readLayerTypes } from "./attention";
import { DIMENSION_KEYS, type FamilyReader } from "./family";
import { readDense, readExperts } from "./feed-forward";
import { hybridModel, none, range } from "./hybrid-model";
import { mamba1, mamba2 } from "./recurrent";
import type { DecoderTraits } from "./traits";

const LONGEST_PATTERN = 4096;

/** Nemotron-H: one block per layer by pattern: M Mamba 2, * attention, E experts, - dense. */
const nemotronH: FamilyReader = {
  modelTypes: ["nemotron_h"],
  read(source) {
    const pattern = source.has("hybrid_override_pattern")
      ? source.text("hybrid_override_pattern", "")
      : (source.has("layers_block_type") ? source.textList("layers_block_type") : []).map(blockLetter).join("");
    if (pattern.length === 0 || pattern.length > LONGEST_PATTERN || /[^M*E-]/.test(pattern)) {
      source.problem("hybrid_override_pattern", `expected one of M, *, E, - per layer, at most ${LONGEST_PATTERN}`);
    }
    const traits: DecoderTraits = {
      queryKeyValueBias: { key: "attention_bias" },
      outputBias: { key: "attention_bias" },
      gated: false,
      feedForwardBias: { key: "mlp_bias" },
      routerBias: true,
    };
    const blocks: Readonly<Record<string, () => Pick<LayerSpec, "mixer" | "feedForward">>> = {
      M: () => ({ mixer: readMamba2(source, NEMOTRON_MAMBA_KEYS), feedForward: none }),
      "*": () => ({ mixer: readGroupedQueryAttention(source, traits), feedForward: none }),
      E: () => ({ mixer: none, feedForward: withLatentSize(source, readExperts(source, traits) ?? none) }),
      "-": () => ({ mixer: none, feedForward: readDense(source, traits, DIMENSION_KEYS.intermediate) }),
    };
    const prediction = source.has("num_nextn_predict_layers") ? source.text("mtp_hybrid_override_pattern", "") : "";
    const built = new Map([...new Set(pattern + prediction)].map((letter) => [letter, ownValue(blocks, letter)?.()]));
    const layersOf = (letters: string): readonly LayerSpec[] =>
      [...letters].map((letter) => ({
        ...(built.get(letter) ?? { mixer: none, feedForward: none }),
        normVectors: 1,
        normBias: false,
      }));
    return {
      ...hybridModel(source, layersOf(pattern), { tables: false }),
      ...(prediction.length > 0 && {
        multiTokenPrediction: { layerSpecs: layersOf(prediction), repeatsEmbeddings: false },
      }),
    };
  },
};

const jamba: FamilyReader = {
  modelTypes: ["jamba"],
  read(source) {
    const layers = source.count(DIMENSION_KEYS.layers);
    const attention = readGroupedQueryAttention(source, {});
    const mamba = readMamba1(source, true);
    const isAttention = periodic(source, "attn_layer_period", 8, "attn_layer_offset", 4);
    const hasExperts = periodic(source, "expert_layer_period", 2, "expert_layer_offset", 1);
    const dense = readDense(source, {}, DIMENSION_KEYS.intermediate);
    const experts = readExperts(source, { expertWidthKey: "intermediate_size" }) ?? dense;
    const layerSpecs = range(layers).map(
      (layer): LayerSpec => ({
        mixer: isAttention(layer) ? attention : mamba,
        feedForward: hasExperts(layer) ? experts : dense,
        normVectors: 2,
        normBias: false,
      }),
    );
    return hybridModel(source, layerSpecs, { tables: false });
  },
};

/** Bamba and Granite 4: Mamba 2 or attention, then a feed-forward block in every layer. */
const bamba: FamilyReader = {
  modelTypes: ["bamba", "granitemoehybrid"],
  read(source) {
    const layers = source.count(DIMENSION_KEYS.layers);
    const traits: DecoderTraits = {
      queryKeyValueBias: { key: "attention_bias" },
      outputBias: { key: "attention_bias" },
    };
    const attention = readGroupedQueryAttention(source, traits);
    const types = readLayerTypes(source, layers);
    const indices = new Set(source.integerList("attn_layer_indices"));
    const isAttention = (layer: number): boolean =>
      types === undefined ? indices.has(layer) : types[layer] === "attention" || types[layer] === "full_attention";
    const mamba = readMamba2(source, BAMBA_MAMBA_KEYS);
    const experts = readExperts(source, { expertWidthKey: "intermediate_size" });
    const feedForward =
      experts ?? readDense(source, traits, ["shared_intermediate_size", ...DIMENSION_KEYS.intermediate]);
    const layerSpecs = range(layers).map(
      (layer): LayerSpec => ({
        mixer: isAttention(layer) ? attention : mamba,
        feedForward,
        normVectors: 2,
        normBias: false,
      }),
    );
    return hybridModel(source, layerSpecs, { tables: source.text("position_embedding_type", "rope") === "rope" });
  },
};

/** Falcon-H1: attention and Mamba 2 in parallel in every layer. */
const falconH1: FamilyReader = {
  modelTypes: ["falcon_h1"],
  read(source) {
    const layers = source.count(DIMENSION_KEYS.layers);
    const layer: LayerSpec = {
      mixer: readGroupedQueryAttention(source, {
        queryKeyValueBias: { key: "attention_bias" },
        outputBias: { key: "attention_bias" },
      }),
      parallelMixer: readMamba2(source, { ...BAMBA_MAMBA_KEYS, norm: source.flag("mamba_rms_norm", false) }),
      feedForward: readDense(source, { feedForwardBias: { key: "mlp_bias" } }, DIMENSION_KEYS.intermediate),
      normVectors: 2,
      normBias: false,
    };
    return hybridModel(
      source,
      range(layers).map(() => layer),
      { tables: true },
    );
  },
};

const pureMamba: FamilyReader = {
  modelTypes: ["mamba", "falcon_mamba"],
  read(source) {
    const layer: LayerSpec = { mixer: readMamba1(source, false), feedForward: none, normVectors: 1, normBias: false };
    const model = hybridModel(
      source,
      range(source.count(DIMENSION_KEYS.layers)).map(() => layer),
      { tables: false },
    );
    return { ...model, tieEmbeddingsByDefault: true };
  },
};

const pureMamba2: FamilyReader = {
  modelTypes: ["mamba2"],
  read(source) {
    const layer: LayerSpec = {
      mixer: readMamba2(source, MAMBA2_KEYS),
      feedForward: none,
      normVectors: 1,
      normBias: false,
    };
    const model = hybridModel(
      source,
      range(source.count(DIMENSION_KEYS.layers)).map(() => layer),
      { tables: false },
    );
    return { ...model, singleStage: true };
  },
};

export const mambaReaders: readonly FamilyReader[] = [nemotronH, jamba, bamba, falconH1, pureMamba, pureMamba2];

export interface Mamba2Keys {
  readonly heads: readonly string[];
  readonly headDim: readonly string[];
  readonly groups: readonly string[];
  readonly state: readonly string[];
  readonly kernel: readonly string[];
  readonly convolutionBias: readonly string[];
  readonly projectionBias: readonly string[];
  readonly norm: boolean;
}

const NEMOTRON_MAMBA_KEYS: Mamba2Keys = {
  heads: ["mamba_num_heads"],
  headDim: ["mamba_head_dim"],
  groups: ["n_groups"],
  state: ["ssm_state_size"],
  kernel: ["conv_kernel"],
  convolutionBias: ["use_conv_bias"],
  projectionBias: ["mamba_proj_bias", "use_bias"],
  norm: true,
};

const MAMBA2_KEYS: Mamba2Keys = {
  heads: ["num_heads"],
  headDim: ["head_dim"],
  groups: ["n_groups"],
  state: ["state_size"],
  kernel: ["conv_kernel"],
  convolutionBias: ["use_conv_bias"],
  projectionBias: ["use_bias"],
  norm: true,
};

const BAMBA_MAMBA_KEYS: Mamba2Keys = {
  heads: ["mamba_n_heads"],
  headDim: ["mamba_d_head"],
  groups: ["mamba_n_groups"],
  state: ["mamba_d_state"],
  kernel: ["mamba_d_conv"],
  convolutionBias: ["mamba_conv_bias"],
  projectionBias: ["mamba_proj_bias"],
  norm: true,
};

export function readMamba2(source: ConfigSource, keys: Mamba2Keys): RecurrentMixer {
  const hidden = source.size(DIMENSION_KEYS.hidden);
  const heads = source.count(keys.heads);
  const inner = source.optionalSize("mamba_d_ssm") ?? hidden * source.count(["mamba_expand", "expand"], 2);
  const stated = keys.headDim.some((key) => source.has(key) && source.raw(key) !== "auto");
  return mamba2({
    hidden,
    heads,
    headDim: stated ? source.size(keys.headDim) : Math.max(1, Math.floor(inner / heads)),
    groups: source.count(keys.groups, 1),
    stateSize: source.size(keys.state),
    kernel: source.count(keys.kernel, 4),
    convolutionBias: source.flag(keys.convolutionBias, true),
    projectionBias: source.flag(keys.projectionBias, false),
    norm: keys.norm,
  });
}

function readMamba1(source: ConfigSource, innerNorms: boolean): RecurrentMixer {
  const hidden = source.size(DIMENSION_KEYS.hidden);
  const rankKey = source.firstKey("mamba_dt_rank", "time_step_rank");
  const rank = rankKey === undefined || source.raw(rankKey) === "auto" ? Math.ceil(hidden / 16) : source.size(rankKey);
  return mamba1({
    hidden,
    inner:
      source.optionalSize("intermediate_size") !== undefined && !innerNorms
        ? source.size("intermediate_size")
        : hidden * source.count(["mamba_expand", "expand"], 2),
    stateSize: source.size(["mamba_d_state", "state_size"], 16),
    kernel: source.count(["mamba_d_conv", "conv_kernel"], 4),
    timeStepRank: rank,
    convolutionBias: source.flag(["mamba_conv_bias", "use_conv_bias"], true),
    projectionBias: source.flag(["mamba_proj_bias", "use_bias"], false),
    innerNorms,
  });
}

function withLatentSize(source: ConfigSource, feedForward: FeedForward): FeedForward {
  const latentSize = source.optionalSize("moe_latent_size");
  return feedForward.kind === "experts" && latentSize !== undefined ? { ...feedForward, latentSize } : feedForward;
}

function blockLetter(type: string): string {
  const letters: Readonly<Record<string, string>> = {
    mamba: "M",
    linear_attention: "M",
    attention: "*",
    full_attention: "*",
    moe: "E",
    mlp: "-",
  };
  return ownValue(letters, type) ?? "?";
}

function periodic(source: ConfigSource, periodKey: string, period: number, offsetKey: string, offset: number) {
  const every = source.count(periodKey, period);
  const first = source.has(offsetKey) ? source.optionalCount(offsetKey) : offset;
  return (layer: number): boolean => layer % every === first % every;
}
