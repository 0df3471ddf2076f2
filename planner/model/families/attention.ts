/** Attention of each decoder layer: grouped-query or latent, full or windowed. */
import type { AttentionScope, GroupedQueryAttention, LatentAttention, Mixer, ProjectionShape } from "../architecture";
import type { ConfigSource } from "../config-source";
import { DIMENSION_KEYS } from "./family";
import type { DecoderTraits, OutputGate, TraitFlag, WindowPattern } from "./traits";

export function readAttentionLayers(source: ConfigSource, layers: number, traits: DecoderTraits): readonly Mixer[] {
  if (source.has("kv_lora_rank")) {
    const mixer = readLatentAttention(source, traits);
    return Array.from({ length: layers }, () => mixer);
  }
  const base = readGroupedQueryAttention(source, traits);
  const heads = readHeadsPerLayer(source, layers);
  return readScopes(source, layers, traits).map((scope, layer) => ({
    ...base,
    scope,
    heads: heads?.[layer] ?? base.heads,
  }));
}

/** Full scope. */
export function readGroupedQueryAttention(source: ConfigSource, traits: DecoderTraits): GroupedQueryAttention {
  const heads = source.count(DIMENSION_KEYS.heads);
  const kvHeads = source.count(["num_key_value_heads", "num_kv_heads", "n_head_kv", "num_attention_groups"], heads);
  if (heads % kvHeads !== 0) {
    source.problem("num_key_value_heads", `must divide num_attention_heads (${heads})`);
  }
  return {
    kind: "attention",
    scope: { kind: "full" },
    heads,
    kvHeads,
    headDim: readHeadDim(source, heads, traits),
    queryKeyValueBias: traitFlag(source, traits.queryKeyValueBias),
    outputBias: traitFlag(source, traits.outputBias),
    queryKeyNorm: readQueryKeyNorm(source, traits),
    outputGate: source.flag("attn_output_gate", false),
    sinks: traits.sinks ?? false,
    ownsCache: true,
  };
}

/** head_dim, else hidden size / heads. */
export function readHeadDim(source: ConfigSource, heads: number, traits: DecoderTraits = {}): number {
  const given = source.optionalSize(["head_dim", "attention_head_dim", "kv_channels"]);
  if (given !== undefined) {
    return given;
  }
  const hidden = source.size(DIMENSION_KEYS.hidden);
  if (hidden % heads !== 0 && !traits.headDimRoundsDown) {
    source.problem("hidden_size", `must be a multiple of the ${heads} attention heads when head_dim is absent`);
  }
  return Math.max(1, Math.floor(hidden / heads));
}

/** A flag fixed by the family or stated by a key. Non-boolean values count as "noaux_tc" does. */
export function traitFlag(source: ConfigSource, flag: TraitFlag | undefined): boolean {
  if (flag === undefined || typeof flag === "boolean") {
    return flag ?? false;
  }
  if (typeof source.raw(flag.key) === "string") {
    return source.raw(flag.key) === "noaux_tc";
  }
  return source.flag(flag.key, flag.absent ?? false);
}

function readQueryKeyNorm(source: ConfigSource, traits: DecoderTraits): GroupedQueryAttention["queryKeyNorm"] {
  const norm = traits.queryKeyNorm ?? "none";
  if (typeof norm === "string") {
    return norm;
  }
  return source.flag(norm.key, norm.absent ?? false) ? norm.norm : "none";
}

export function readLatentAttention(source: ConfigSource, traits: DecoderTraits = {}): LatentAttention {
  return {
    kind: "latent",
    heads: source.count(DIMENSION_KEYS.heads),
    queryLoraRank: source.optionalSize("q_lora_rank"),
    kvLoraRank: source.size("kv_lora_rank"),
    nopeHeadDim: source.size("qk_nope_head_dim"),
    ropeHeadDim: source.size("qk_rope_head_dim"),
    valueHeadDim: source.size("v_head_dim"),
    caches: traits.latentCaches ?? "latent",
    indexer: source.has("index_n_heads")
      ? { heads: source.count("index_n_heads"), headDim: source.size("index_head_dim") }
      : undefined,
  };
}

function readScopes(source: ConfigSource, layers: number, traits: DecoderTraits): readonly AttentionScope[] {
  const full: AttentionScope = { kind: "full" };
  const allFull = (): readonly AttentionScope[] => Array.from({ length: layers }, () => full);
  if (traits.chunkedPeriod !== undefined) {
    return readChunkedScopes(source, layers, traits.chunkedPeriod);
  }
  const window = source.optionalSize(["sliding_window", "sliding_window_size"]);
  if (window === undefined || source.raw("use_sliding_window") === false) {
    return allFull();
  }
  const sliding: AttentionScope = { kind: "sliding", windowTokens: window };
  const listed = readLayerTypes(source, layers);
  if (listed !== undefined) {
    return listed.map((type) => (type === "sliding_attention" ? sliding : full));
  }
  const slides = slidingLayerTest(source, traits.window);
  return Array.from({ length: layers }, (_, layer) => (slides(layer) ? sliding : full));
}

/** Checked against the number of layers; undefined when absent. */
export function readLayerTypes(source: ConfigSource, layers: number): readonly string[] | undefined {
  return readPerLayer(source, "layer_types", layers);
}

/** Checked against the number of layers; undefined when absent. */
export function readPerLayer(source: ConfigSource, key: string, layers: number): readonly string[] | undefined {
  if (!source.has(key)) {
    return undefined;
  }
  const types = source.textList(key);
  if (types.length >= layers) {
    return types.slice(0, layers);
  }
  source.problem(key, `has ${types.length} entries for ${layers} layers`);
  return undefined;
}

/** The limit of counts in a config. */
const MOST_HEADS = 4096;

/** Per layer (Laguna); undefined where all are equal. */
function readHeadsPerLayer(source: ConfigSource, layers: number): readonly number[] | undefined {
  const key = "num_attention_heads_per_layer";
  if (!source.has(key)) {
    return undefined;
  }
  const heads = source.integerList(key);
  if (heads.length >= layers && heads.every((count) => count > 0 && count <= MOST_HEADS)) {
    return heads;
  }
  source.problem(key, `must have a number from 1 to ${MOST_HEADS} for each of the ${layers} layers`);
  return undefined;
}

/**
 * Gate of the attention's output. `true` and "per-head": one value per head, "per-element": per
 * channel (vLLM 0.33.0: LagunaAttention in laguna.py, Step3p5Attention in step3p5.py).
 */
export function outputGate(
  source: ConfigSource,
  { heads, headDim, valueHeadDim = headDim }: GroupedQueryAttention,
  gate: OutputGate | undefined,
): readonly ProjectionShape[] {
  if (gate === undefined) {
    return [];
  }
  const kind = gate.key === undefined ? "per-element" : (source.raw(gate.key) ?? gate.absent ?? false);
  if (kind === false) {
    return [];
  }
  if (gate.key !== undefined && kind !== true && kind !== "per-head" && kind !== "per-element") {
    source.problem(gate.key, 'expected true, false, "per-head" or "per-element"');
  }
  const outputs = heads * (kind === "per-element" ? valueHeadDim : 1);
  return [{ name: `self_attn.${gate.name}`, outputs, inputs: source.size(DIMENSION_KEYS.hidden), split: "outputs" }];
}

function slidingLayerTest(source: ConfigSource, pattern: WindowPattern | undefined): (layer: number) => boolean {
  switch (pattern?.kind) {
    case "every-layer":
      return () => true;
    case "one-full-in": {
      const period = source.count(pattern.key, pattern.period);
      const full = pattern.at === "first" ? 0 : period - 1;
      return (layer) => layer % period !== full;
    }
    case "from-layer": {
      const first = source.optionalCount("max_window_layers");
      return (layer) => source.raw("use_sliding_window") === true && layer >= first;
    }
    default:
      return () => false;
  }
}

/** Llama 4: chunked local attention, except in layers without rotary embedding. */
function readChunkedScopes(source: ConfigSource, layers: number, period: number): readonly AttentionScope[] {
  const chunk = source.optionalSize("attention_chunk_size");
  const rotaryLayers = source.integerList("no_rope_layers");
  return Array.from({ length: layers }, (_, layer): AttentionScope => {
    const local = rotaryLayers.length >= layers ? rotaryLayers[layer] === 1 : (layer + 1) % period !== 0;
    return chunk !== undefined && local ? { kind: "chunked", windowTokens: chunk } : { kind: "full" };
  });
}
