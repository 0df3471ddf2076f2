/**
 * Decoder families that differ from Llama in traits only, by `model_type`. Sources: transformers
 * modeling_<family>.py and tensor lists of published checkpoints.
 */
import type { DecoderTraits, WindowPattern } from "./traits";

const ATTENTION_BIAS = { key: "attention_bias" } as const;
const SLIDING_EVERY_LAYER = { kind: "every-layer" } as const;
const FULL_FIRST_OF_FOUR: WindowPattern = {
  kind: "one-full-in",
  period: 4,
  key: "sliding_window_pattern",
  at: "first",
};
const llama: DecoderTraits = {
  queryKeyValueBias: ATTENTION_BIAS,
  outputBias: ATTENTION_BIAS,
  feedForwardBias: { key: "mlp_bias" },
};
const mistral: DecoderTraits = { window: SLIDING_EVERY_LAYER };
const qwen2: DecoderTraits = { queryKeyValueBias: true, window: { kind: "from-layer" } };
const qwen3: DecoderTraits = { ...llama, queryKeyNorm: "head", window: { kind: "from-layer" } };
const gemma: DecoderTraits = { queryKeyValueBias: ATTENTION_BIAS, outputBias: ATTENTION_BIAS, tieEmbeddings: true };
const gemma2: DecoderTraits = {
  ...gemma,
  normVectors: 4,
  window: { kind: "one-full-in", period: 2, key: "sliding_window_pattern" },
};
const bailingMoeV2: DecoderTraits = {
  queryKeyValueBias: { key: "use_qkv_bias" },
  outputBias: { key: "use_bias" },
  queryKeyNorm: "head",
  routerBias: true,
};
const granitemoe: DecoderTraits = {
  queryKeyValueBias: ATTENTION_BIAS,
  outputBias: ATTENTION_BIAS,
  expertWidthKey: "intermediate_size",
};
const latent: DecoderTraits = { routerBias: { key: "topk_method" } };
const deepseekV3: DecoderTraits = { ...latent, predictionRepeatsEmbeddings: true };

export const decoderFamilies: Readonly<Record<string, DecoderTraits>> = {
  llama,
  afmoe: {
    queryKeyNorm: "head",
    outputGate: { name: "gate_proj" },
    normVectors: 4,
    routerBias: true,
    routerInFloat32: true,
    window: { kind: "one-full-in", period: 4, key: "global_attn_every_n_layers" },
  },
  aquila: llama,
  arcee: { ...llama, gated: false },
  apertus: { ...llama, gated: false, queryKeyNorm: "head", activationParameters: 2 },
  axk1: { ...latent, expertNormVectors: 1 },
  baichuan: {},
  bailing_moe: { queryKeyValueBias: { key: "use_qkv_bias" }, outputBias: { key: "use_bias" } },
  bailing_moe_v2: bailingMoeV2,
  cohere: {
    queryKeyValueBias: ATTENTION_BIAS,
    outputBias: ATTENTION_BIAS,
    queryKeyNorm: { key: "use_qk_norm", norm: "projection" },
    normVectors: 1,
    tieEmbeddings: true,
  },
  cohere2: {
    queryKeyValueBias: ATTENTION_BIAS,
    outputBias: ATTENTION_BIAS,
    normVectors: 1,
    tieEmbeddings: true,
    window: { kind: "one-full-in", period: 4, key: "sliding_window_pattern" },
  },
  cohere2_moe: {
    normVectors: 1,
    tieEmbeddings: true,
    expertWidthKey: "intermediate_size",
    denseWidthKey: ["prefix_dense_intermediate_size", "intermediate_size"],
    window: { kind: "one-full-in", period: 4, key: "sliding_window_pattern" },
  },
  cwm: { ...llama, window: FULL_FIRST_OF_FOUR },
  deepseek: {},
  deepseek_v2: {},
  deepseek_v3: deepseekV3,
  deepseek_v32: deepseekV3,
  dots1: { queryKeyNorm: "head", routerBias: true, queryKeyValueBias: ATTENTION_BIAS, outputBias: ATTENTION_BIAS },
  ernie4_5: {
    queryKeyValueBias: { key: "use_bias" },
    outputBias: { key: "use_bias" },
    feedForwardBias: { key: "use_bias" },
    tieEmbeddings: true,
  },
  ernie4_5_moe: { routerBias: true, tieEmbeddings: true },
  exaone: {},
  exaone4: { queryKeyNorm: "head", window: { kind: "one-full-in", period: 4, key: "sliding_window_pattern" } },
  exaone_moe: {
    queryKeyNorm: "head",
    routerBias: { key: "topk_method" },
    window: { kind: "one-full-in", period: 4, key: "sliding_window_pattern" },
  },
  flex_olmo: { queryKeyNorm: "projection" },
  gemma,
  gemma2,
  gemma3: {
    ...gemma2,
    queryKeyNorm: "head",
    window: { kind: "one-full-in", period: 6, key: "sliding_window_pattern" },
    separateSlidingTable: true,
    contextIncludesScaling: true,
  },
  glm: { queryKeyValueBias: ATTENTION_BIAS },
  glm4: { queryKeyValueBias: ATTENTION_BIAS, normVectors: 4 },
  glm4_moe: {
    queryKeyValueBias: ATTENTION_BIAS,
    queryKeyNorm: { key: "use_qk_norm", norm: "head" },
    routerBias: true,
    headDimRoundsDown: true,
    predictionRepeatsEmbeddings: true,
  },
  glm4_moe_lite: { ...latent, leadingDenseLayers: 1 },
  glm_moe_dsa: latent,
  gpt_oss: {
    queryKeyValueBias: true,
    outputBias: true,
    sinks: true,
    expertBias: true,
    routerBias: true,
    expertWidthKey: "intermediate_size",
    window: { kind: "one-full-in", period: 2, key: "sliding_window_pattern" },
  },
  granite: llama,
  granite_swa: { ...llama, tieEmbeddings: true, sinks: true, window: FULL_FIRST_OF_FOUR },
  granitemoe,
  granitemoeshared: granitemoe,
  granitemoe_swa: { ...granitemoe, sinks: true, window: FULL_FIRST_OF_FOUR },
  hunyuan_v1_dense: { queryKeyNorm: { key: "use_qk_norm", norm: "head" }, tieEmbeddings: true },
  hy_v3: {
    queryKeyNorm: "head",
    routerInFloat32: true,
    leadingDenseLayers: 1,
    expertWidthKey: ["moe_intermediate_size", "expert_hidden_dim"],
  },
  hyperclovax: { ...llama, postNorms: { key: "use_post_norm", absent: true } },
  internlm2: { queryKeyValueBias: { key: "bias" }, outputBias: { key: "bias" } },
  internlm3: { queryKeyValueBias: { key: "qkv_bias" }, outputBias: { key: "bias" }, feedForwardBias: { key: "bias" } },
  jais2: {
    queryKeyValueBias: { key: "attention_bias", absent: true },
    outputBias: { key: "attention_bias", absent: true },
    feedForwardBias: { key: "mlp_bias", absent: true },
    normBias: true,
    gated: false,
  },
  kimi_k2: deepseekV3,
  laguna: {
    queryKeyValueBias: ATTENTION_BIAS,
    outputBias: ATTENTION_BIAS,
    queryKeyNorm: "head",
    outputGate: { name: "g_proj", key: "gating" },
    routerBias: true,
    leadingDenseLayers: 1,
    separateSlidingTable: true,
  },
  llama4_text: {
    ...llama,
    expertWidthKey: "intermediate_size",
    denseWidthKey: "intermediate_size_mlp",
    impliedSharedExpert: true,
    chunkedPeriod: 4,
  },
  mellum: {
    queryKeyValueBias: ATTENTION_BIAS,
    outputBias: ATTENTION_BIAS,
    queryKeyNorm: "head",
    separateSlidingTable: true,
  },
  mimo: qwen2,
  minicpm: llama,
  minicpm3: { ...llama, tieEmbeddings: true, latentCaches: "heads" },
  minimax_m2: {
    queryKeyNorm: { key: "use_qk_norm", absent: true, norm: "projection" },
    expertWidthKey: "intermediate_size",
    routerBias: { key: "use_routing_bias" },
  },
  ministral: mistral,
  ministral3: mistral,
  mistral,
  mistral4: latent,
  mixtral: { ...mistral, expertWidthKey: "intermediate_size" },
  nemotron: {
    queryKeyValueBias: ATTENTION_BIAS,
    outputBias: ATTENTION_BIAS,
    gated: false,
    normBias: true,
    feedForwardBias: { key: "mlp_bias" },
  },
  olmo: { ...llama, normVectors: 0, finalNormVectors: 0 },
  olmo2: { ...llama, queryKeyNorm: "projection" },
  olmo3: {
    ...llama,
    queryKeyNorm: "projection",
    window: { kind: "one-full-in", period: 4, key: "sliding_window_pattern" },
  },
  olmoe: {
    queryKeyNorm: "projection",
    queryKeyValueBias: ATTENTION_BIAS,
    outputBias: ATTENTION_BIAS,
    expertWidthKey: "intermediate_size",
  },
  phi3: { window: SLIDING_EVERY_LAYER },
  phimoe: {
    queryKeyValueBias: ATTENTION_BIAS,
    outputBias: ATTENTION_BIAS,
    normBias: true,
    headBias: { key: "lm_head_bias" },
    expertWidthKey: "intermediate_size",
    window: SLIDING_EVERY_LAYER,
  },
  qwen2,
  qwen2_moe: { ...qwen2, sharedExpertGate: true },
  qwen3,
  qwen3_moe: qwen3,
  sarvam_mla: { routerBias: { key: "moe_router_enable_expert_bias", absent: true } },
  sarvam_moe: {
    ...bailingMoeV2,
    queryKeyNorm: { key: "use_qk_norm", norm: "head" },
    routerBias: { key: "moe_router_enable_expert_bias" },
  },
  seed_oss: {
    queryKeyValueBias: ATTENTION_BIAS,
    outputBias: { key: "attention_out_bias" },
    feedForwardBias: { key: "mlp_bias" },
  },
  smollm3: { ...llama, tieEmbeddings: true },
  solar_open: { queryKeyValueBias: ATTENTION_BIAS, outputBias: ATTENTION_BIAS },
  stablelm: { queryKeyValueBias: { key: "use_qkv_bias" }, normBias: true },
  starcoder2: {
    queryKeyValueBias: { key: "use_bias", absent: true },
    outputBias: { key: "use_bias", absent: true },
    feedForwardBias: { key: "use_bias", absent: true },
    normBias: true,
    gated: false,
    tieEmbeddings: true,
    window: SLIDING_EVERY_LAYER,
  },
  vaultgemma: { ...gemma2, normVectors: 2 },
  youtu: { ...latent, tieEmbeddings: true },
};

/** Text parts of multimodal configs, and other spellings of the same architecture. */
export const DECODER_ALIASES: Readonly<Record<string, string>> = {
  gemma3_text: "gemma3",
  llama4: "llama4_text",
  qwen2_vl: "qwen2",
  qwen2_vl_text: "qwen2",
  qwen2_5_vl: "qwen2",
  qwen2_5_vl_text: "qwen2",
  qwen3_vl_text: "qwen3",
  qwen3_vl_moe_text: "qwen3_moe",
  glm4v_text: "glm4",
  glm4v_moe_text: "glm4_moe",
};
