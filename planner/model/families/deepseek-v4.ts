/**
 * DeepSeek-V4: compressed attention under hyper-connections, experts in every layer. Sources:
 * transformers 5.19.0, configuration_deepseek_v4.py (also the published spellings) and
 * modeling_deepseek_v4.py; vLLM 0.33.0, models/deepseek_v4.
 */
import type { CompressedAttention, FeedForward, LayerSpec, MultiTokenPrediction, RotaryTable } from "../architecture";
import type { ConfigSource } from "../config-source";
import { type Rope, readRope } from "../rope";
import { readPerLayer } from "./attention";
import { DIMENSION_KEYS, type FamilyReader, type TextModel } from "./family";
import { readFeedForwardLayers } from "./feed-forward";
import { none, range } from "./hybrid-model";
import { type HyperConnection, hyperConnectionHead, hyperConnectionTensors } from "./hyper-connections";
import type { DecoderTraits } from "./traits";

const traits: DecoderTraits = { routerBias: { key: "topk_method" } };

/** Tokens per compressed vector, by `layer_types`; other types use the window only. */
const RATE_KEYS = {
  compressed_sparse_attention: { key: "compress_rate_csa", usual: 4 },
  heavily_compressed_attention: { key: "compress_rate_hca", usual: 128 },
} as const;

/** Rates with vLLM kernels; the lower one reads tokens twice and has an indexer. */
const OVERLAPPING_RATE = 4;
const knownRates: readonly number[] = [0, OVERLAPPING_RATE, 128];

export const deepseekV4Reader: FamilyReader = { modelTypes: ["deepseek_v4"], read: readDeepseekV4 };

function readDeepseekV4(source: ConfigSource): TextModel {
  const layers = source.count(DIMENSION_KEYS.layers);
  const attention = readAttention(source);
  const rates = readRates(source, layers);
  const feedForwards = readFeedForwardLayers(source, layers, traits);
  const hashed = readHashedLayers(source, layers);
  const connection = readHyperConnection(source, source.size(DIMENSION_KEYS.hidden));
  const layer = (mixer: CompressedAttention, feedForward: FeedForward): LayerSpec => ({
    mixer,
    feedForward,
    normVectors: 2,
    normBias: false,
    extras: hyperConnectionTensors(connection),
  });
  return {
    kind: "decoder",
    layerSpecs: rates.map((rate, index) => {
      const feedForward = feedForwards[index] ?? none;
      return layer(withCompression(attention, rate, source), hashed(index) ? withoutBias(feedForward) : feedForward);
    }),
    rope: readTables(source, attention.ropeHeadDim, rates),
    tieEmbeddingsByDefault: false,
    finalNormVectors: 1,
    finalNormBias: false,
    outerTensors: hyperConnectionHead(connection),
    multiTokenPrediction: readPrediction(source, layer(attention, feedForwards.at(-1) ?? none)),
  };
}

/** Hashed tokens choose experts by table, without a bias. */
function withoutBias(block: FeedForward): FeedForward {
  return block.kind === "experts" ? { ...block, routerBias: false } : block;
}

/** A plain table for window layers, a scaled one for compressing layers; both float32. */
function readTables(source: ConfigSource, rotaryDim: number, rates: readonly number[]): Rope {
  const rope = readRope(source, { headDim: rotaryDim });
  const table = (positions: number): RotaryTable => ({ positions, rotaryDim, dtype: "float32" });
  const scaled = rope.tables.map(({ positions }) => table(positions));
  return {
    ...rope,
    tables: [
      ...(rates.some((rate) => rate === 0) ? [table(rope.maxContextTokens)] : []),
      ...(rates.some((rate) => rate > 0) ? scaled : []),
    ],
  };
}

/** Window layers only (nvidia/mtp.py). */
function readPrediction(source: ConfigSource, layer: LayerSpec): MultiTokenPrediction | undefined {
  const count = source.optionalCount("num_nextn_predict_layers");
  return count === 0 ? undefined : { layerSpecs: range(count).map(() => layer), repeatsEmbeddings: true };
}

function readAttention(source: ConfigSource): CompressedAttention {
  const headDim = source.size("head_dim");
  const heads = source.count(DIMENSION_KEYS.heads);
  const outputGroups = source.count("o_groups");
  if (heads % outputGroups !== 0) {
    source.problem("o_groups", `must divide the ${heads} attention heads`);
  }
  const factor = source.has("partial_rotary_factor") ? source.factor("partial_rotary_factor") : 0.125;
  return {
    kind: "compressed",
    heads,
    headDim,
    ropeHeadDim: source.size("qk_rope_head_dim", Math.max(1, Math.floor(headDim * factor))),
    queryLoraRank: source.size("q_lora_rank"),
    outputGroups,
    outputLoraRank: source.size("o_lora_rank"),
    windowTokens: source.size("sliding_window"),
  };
}

function withCompression(base: CompressedAttention, rate: number, source: ConfigSource): CompressedAttention {
  if (rate === 0) {
    return base;
  }
  const overlaps = rate === OVERLAPPING_RATE;
  const indexer = { heads: source.count("index_n_heads"), headDim: source.size("index_head_dim") };
  return { ...base, compression: { rate, overlaps }, ...(overlaps && { indexer }) };
}

/** Per layer, 0 without compression: published files' list, `layer_types`, or the usual order. */
function readRates(source: ConfigSource, layers: number): readonly number[] {
  const published = source.has("compress_ratios") ? source.integerList("compress_ratios") : undefined;
  if (published !== undefined && published.length < layers) {
    source.problem("compress_ratios", `has ${published.length} entries for ${layers} layers`);
  }
  const rates = published?.slice(0, layers) ?? readTypes(source, layers).map((type) => readRate(source, type));
  for (const rate of new Set(rates)) {
    if (!knownRates.includes(rate)) {
      source.problem(
        published === undefined ? "compress_rates" : "compress_ratios",
        `must be one of ${knownRates.join(", ")}, which vLLM has kernels for; has ${rate}`,
      );
    }
  }
  return rates;
}

/** Default: two heavily compressed layers, then both kinds alternating. */
function readTypes(source: ConfigSource, layers: number): readonly string[] {
  const usual = (layer: number): string =>
    layer >= 2 && layer % 2 === 1 ? "compressed_sparse_attention" : "heavily_compressed_attention";
  return readPerLayer(source, "layer_types", layers) ?? range(layers).map(usual);
}

function readRate(source: ConfigSource, type: string): number {
  if (type !== "compressed_sparse_attention" && type !== "heavily_compressed_attention") {
    return 0;
  }
  const { key, usual } = RATE_KEYS[type];
  return source.section("compress_rates")?.count(type, usual) ?? source.count(key, usual);
}

function readHashedLayers(source: ConfigSource, layers: number): (layer: number) => boolean {
  const types = readPerLayer(source, "mlp_layer_types", layers);
  if (types !== undefined) {
    return (layer) => types[layer] === "hash_moe";
  }
  const hashed = source.has("num_hash_layers") ? source.optionalCount("num_hash_layers") : 3;
  return (layer) => layer < hashed;
}

/** Reads, writes and passes of one block: one row per stream, and one per pair of streams. */
function readHyperConnection(source: ConfigSource, hidden: number): HyperConnection {
  const streams = source.count("hc_mult");
  return { streams, hidden, mixes: (2 + streams) * streams, scales: 3 };
}
