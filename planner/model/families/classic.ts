/** Families older than Llama's layout, with their own key names. */
import type { FeedForward, GroupedQueryAttention, LayerSpec, OuterTensor } from "../architecture";
import type { ConfigSource } from "../config-source";
import { readRope } from "../rope";
import { readGroupedQueryAttention } from "./attention";
import { DIMENSION_KEYS, type FamilyReader, type TextModel } from "./family";
import type { DecoderTraits } from "./traits";

interface ClassicModel {
  readonly attention: GroupedQueryAttention;
  readonly feedForward: FeedForward;
  readonly norms: number;
  readonly normBias: boolean;
  readonly tieEmbeddings: boolean;
  readonly headBias?: boolean;
  readonly outerTensors?: readonly OuterTensor[];
  /** Learned positions or linear biases: no rotary table. */
  readonly withoutRotary?: boolean;
}

const ALL_BIASES: DecoderTraits = { queryKeyValueBias: true, outputBias: true };

const readers: Readonly<Record<string, (source: ConfigSource) => ClassicModel>> = {
  gpt2: (source) => readGpt2(source, readGroupedQueryAttention(source, ALL_BIASES)),
  gpt_bigcode: (source) => {
    const attention = readGroupedQueryAttention(source, ALL_BIASES);
    return readGpt2(source, { ...attention, kvHeads: source.flag("multi_query", true) ? 1 : attention.kvHeads });
  },
  opt: (source) => {
    const hidden = source.size(DIMENSION_KEYS.hidden);
    const positions = source.positions("max_position_embeddings", 2048) + 2;
    return {
      attention: readGroupedQueryAttention(source, ALL_BIASES),
      feedForward: plain(source.size("ffn_dim"), true),
      norms: 2,
      normBias: true,
      tieEmbeddings: true,
      outerTensors: [table("decoder.embed_positions", positions, hidden)],
      withoutRotary: true,
    };
  },
  bloom: (source) => {
    const hidden = source.size(DIMENSION_KEYS.hidden);
    return {
      attention: readGroupedQueryAttention(source, ALL_BIASES),
      feedForward: plain(4 * hidden, true),
      norms: 2,
      normBias: true,
      tieEmbeddings: true,
      outerTensors: [table("word_embeddings_layernorm", 2, hidden)],
      withoutRotary: true,
    };
  },
  falcon: readFalcon,
  gpt_neox: (source) => ({
    attention: readGroupedQueryAttention(source, {
      queryKeyValueBias: { key: "attention_bias", absent: true },
      outputBias: { key: "attention_bias", absent: true },
    }),
    feedForward: plain(source.size("intermediate_size"), true),
    norms: 2,
    normBias: true,
    tieEmbeddings: false,
  }),
  gptj: (source) => ({
    attention: readGroupedQueryAttention(source, {}),
    feedForward: plain(source.optionalSize("n_inner") ?? 4 * source.size(DIMENSION_KEYS.hidden), true),
    norms: 1,
    normBias: true,
    tieEmbeddings: false,
    headBias: true,
  }),
  mpt: (source) => {
    const attention = readGroupedQueryAttention(source, {});
    const settings = source.section("attn_config");
    return {
      attention: { ...attention, kvHeads: settings?.optionalCount("kv_n_heads") || attention.kvHeads },
      feedForward: plain(source.count("expansion_ratio", 4) * source.size(DIMENSION_KEYS.hidden), false),
      norms: 2,
      normBias: false,
      tieEmbeddings: true,
      withoutRotary: true,
    };
  },
  phi: (source) => ({
    attention: readGroupedQueryAttention(source, ALL_BIASES),
    feedForward: plain(source.size(DIMENSION_KEYS.intermediate), true),
    norms: 1,
    normBias: true,
    tieEmbeddings: false,
    headBias: true,
  }),
  qwen: (source) => ({
    attention: readGroupedQueryAttention(source, { queryKeyValueBias: true }),
    // the config counts both halves of the gated block
    feedForward: { kind: "dense", width: Math.floor(source.size("intermediate_size") / 2), gated: true, bias: false },
    norms: 2,
    normBias: false,
    tieEmbeddings: false,
  }),
  chatglm: (source) => {
    const attention = readGroupedQueryAttention(source, { queryKeyValueBias: { key: "add_qkv_bias" } });
    const grouped = source.flag("multi_query_attention", false);
    return {
      attention: { ...attention, kvHeads: grouped ? source.count("multi_query_group_num") : attention.kvHeads },
      feedForward: { kind: "dense", width: source.size("ffn_hidden_size"), gated: true, bias: false },
      norms: 2,
      normBias: false,
      tieEmbeddings: false,
    };
  },
  dbrx: (source) => {
    const attention = readGroupedQueryAttention(source, {});
    const experts = source.section("ffn_config");
    if (experts === undefined) {
      source.problem("ffn_config", "is missing");
    }
    return {
      attention: { ...attention, kvHeads: source.section("attn_config")?.count("kv_n_heads") ?? attention.kvHeads },
      feedForward: {
        kind: "experts",
        experts: experts?.count("moe_num_experts") ?? 1,
        expertsPerToken: experts?.count("moe_top_k") ?? 1,
        width: experts?.size("ffn_hidden_size") ?? 1,
        gated: true,
        bias: false,
        routerBias: false,
      },
      norms: 2,
      normBias: false,
      tieEmbeddings: false,
    };
  },
};

export const classicReaders: readonly FamilyReader[] = Object.entries(readers).map(([family, read]) => ({
  modelTypes: family === "falcon" ? [family, "RefinedWeb", "RefinedWebModel"] : [family],
  read: (source) => classicModel(source, read(source)),
}));

function readGpt2(source: ConfigSource, attention: GroupedQueryAttention): ClassicModel {
  const hidden = source.size(DIMENSION_KEYS.hidden);
  const positions = source.positions(["n_positions", "n_ctx", "max_position_embeddings"], 1024);
  return {
    attention,
    feedForward: plain(source.optionalSize("n_inner") ?? 4 * hidden, true),
    norms: 2,
    normBias: true,
    tieEmbeddings: true,
    outerTensors: [table("wpe", positions, hidden)],
    withoutRotary: true,
  };
}

/** Falcon: grouped heads (new architecture), one KV head (multi_query), else one per head. */
function readFalcon(source: ConfigSource): ClassicModel {
  const biases = { queryKeyValueBias: { key: "bias" }, outputBias: { key: "bias" } } as const;
  const heads = source.count(DIMENSION_KEYS.heads);
  const grouped = source.flag("new_decoder_architecture", false);
  const single = source.flag("multi_query", true);
  const kvHeads = grouped ? source.count(["num_kv_heads", "n_head_kv"], heads) : single ? 1 : heads;
  const norms = grouped ? source.count("num_ln_in_parallel_attn", 2) : source.flag("parallel_attn", true) ? 1 : 2;
  return {
    attention: { ...readGroupedQueryAttention(source, biases), kvHeads },
    feedForward: plain(
      source.optionalSize("ffn_hidden_size") ?? 4 * source.size(DIMENSION_KEYS.hidden),
      source.flag("bias", false),
    ),
    norms,
    normBias: true,
    tieEmbeddings: true,
    withoutRotary: source.flag("alibi", false),
  };
}

function classicModel(source: ConfigSource, model: ClassicModel): TextModel {
  const layer: LayerSpec = {
    mixer: model.attention,
    feedForward: model.feedForward,
    normVectors: model.norms,
    normBias: model.normBias,
  };
  const rope = readRope(source, { headDim: model.attention.headDim });
  return {
    kind: "decoder",
    layerSpecs: Array.from({ length: source.count(DIMENSION_KEYS.layers) }, () => layer),
    rope: model.withoutRotary ? { ...rope, tables: [] } : rope,
    tieEmbeddingsByDefault: model.tieEmbeddings,
    headBias: model.headBias,
    finalNormVectors: 1,
    finalNormBias: model.normBias,
    outerTensors: model.outerTensors,
  };
}

function plain(width: number, bias: boolean): FeedForward {
  return { kind: "dense", width, gated: false, bias };
}

function table(name: string, rows: number, columns: number): OuterTensor {
  return { name, rows, columns, placement: "embedding", split: "none" };
}
