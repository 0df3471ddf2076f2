/**
 * Reads a model type without a reader from its checkpoint. Files give the weights; config.json
 * gives the cache, if the shapes of keys and values agree.
 */
import type { FeedForward, GroupedQueryAttention, LayerSpec } from "../architecture";
import type { ConfigSource } from "../config-source";
import { DIMENSION_KEYS, type FamilyReader, type TextModel } from "../families/family";
import { readRope } from "../rope";
import { cacheDoubt } from "./cache-doubt";
import type { CheckpointLayout, PlacedTensor } from "./layout";
import { roleOf } from "./role";

const widthKeys = ["moe_intermediate_size", "expert_intermediate_size", ...DIMENSION_KEYS.intermediate] as const;
const EXPERTS_PER_TOKEN_KEYS = [
  "num_experts_per_tok",
  "num_experts_per_token",
  "experts_per_token",
  "moe_topk",
  "moe_k",
];

export function storedFamilyReader(layout: CheckpointLayout): FamilyReader {
  return { modelTypes: [], read: (source) => readStoredFamily(source, layout) };
}

function readStoredFamily(source: ConfigSource, layout: CheckpointLayout): TextModel {
  const layers = source.count(DIMENSION_KEYS.layers, Math.max(1, layout.layers));
  const attention = readAttention(source, layout);
  const doubt = cacheDoubt(source, layout, layers, attention);
  const embedding = layout.tensors.find(({ place, tensor }) => place.at === "embedding" && tensor.shape.length === 2);
  const layerSpec: LayerSpec = {
    mixer: attention === undefined ? { kind: "none" } : { ...attention, ownsCache: doubt === undefined },
    feedForward: readFeedForward(source, layout),
    normVectors: 0,
    normBias: false,
  };
  return {
    kind: "decoder",
    layerSpecs: Array.from({ length: layers }, () => layerSpec),
    rope: readRope(source, { headDim: attention?.headDim ?? 1 }),
    tieEmbeddingsByDefault: !layout.tensors.some(({ place }) => place.at === "head"),
    finalNormVectors: 0,
    finalNormBias: false,
    ...(source.optionalCount("num_nextn_predict_layers") > 0 && { multiTokenPrediction: emptyPrediction }),
    ...(doubt !== undefined && { cacheDoubt: doubt }),
    embeddingShape: embedding?.tensor.shape ?? [],
  };
}

/** Marks their presence; tensors are in the inventory. */
const emptyPrediction = { layerSpecs: [], repeatsEmbeddings: false } as const;

/** From the keys of nearly every config.json; undefined without them. */
function readAttention(source: ConfigSource, { tensors }: CheckpointLayout): GroupedQueryAttention | undefined {
  if (source.firstKey(...DIMENSION_KEYS.heads) === undefined) {
    return undefined;
  }
  const heads = source.count(DIMENSION_KEYS.heads);
  const kvHeads = source.count(["num_key_value_heads", "num_kv_heads", "n_head_kv"], heads);
  const given = source.optionalSize(["head_dim", "attention_head_dim", "kv_channels"]);
  const hidden = source.optionalSize(DIMENSION_KEYS.hidden) ?? 0;
  return {
    kind: "attention",
    scope: { kind: "full" },
    heads,
    kvHeads,
    headDim: given ?? Math.max(1, Math.floor(hidden / heads)),
    queryKeyValueBias: false,
    outputBias: false,
    queryKeyNorm: "none",
    outputGate: false,
    sinks: tensors.some(({ path }) => path.at(-1) === "sinks"),
    ownsCache: true,
  };
}

/** Sizes the engine's buffers; weights are in the inventory. */
function readFeedForward(source: ConfigSource, layout: CheckpointLayout): FeedForward {
  const width = source.optionalSize(widthKeys) ?? 0;
  const gated = layout.tensors.some(({ path }) => path.some((part) => /^(gate_proj|gate_up_proj|w3)/.test(part)));
  const experts = expertCount(layout.tensors);
  if (experts === 0) {
    return width === 0 ? { kind: "none" } : { kind: "dense", width, gated, bias: false };
  }
  const expertsPerToken = Math.min(experts, source.count(EXPERTS_PER_TOKEN_KEYS, experts));
  return {
    kind: "experts",
    experts,
    expertsPerToken,
    width: Math.max(1, width),
    gated,
    bias: false,
    routerBias: false,
  };
}

function expertCount(tensors: readonly PlacedTensor[]): number {
  let most = 0;
  for (const placed of tensors) {
    if (placed.place.at !== "layer" || !placed.path.includes("experts")) {
      continue;
    }
    const number = Number(placed.path[placed.path.indexOf("experts") + 1]);
    const all = roleOf(placed).experts === "all" ? (placed.tensor.shape[0] ?? 0) : 0;
    most = Math.max(most, Number.isInteger(number) ? number + 1 : all);
  }
  return Math.min(most, 4096);
}
