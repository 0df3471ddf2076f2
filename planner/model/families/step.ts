/**
 * Step 3.5 and 3.7: sliding layers with their own heads and rotary width, a gate per head, one
 * shared expert. Sources: transformers 5.19.0, configuration_step3p7.py (also older spellings);
 * vLLM 0.33.0, step3p5.py and step3p5_mtp.py.
 */
import type { GroupedQueryAttention, LayerSpec, MultiTokenPrediction } from "../architecture";
import type { ConfigSource } from "../config-source";
import type { Rope } from "../rope";
import { outputGate } from "./attention";
import { readDecoder } from "./decoder";
import { DIMENSION_KEYS, type FamilyReader, type TextModel } from "./family";
import { readDense } from "./feed-forward";
import { range } from "./hybrid-model";
import type { DecoderTraits } from "./traits";

const traits: DecoderTraits = {
  queryKeyValueBias: { key: "attention_bias" },
  queryKeyNorm: "head",
  separateSlidingTable: true,
  routerBias: { key: "use_moe_router_bias" },
  routerInFloat32: true,
};

const gate = { name: "g_proj", key: "use_head_wise_attn_gate", absent: true } as const;

export const stepReader: FamilyReader = { modelTypes: ["step3p5", "step3p7"], read: readStep };

function readStep(source: ConfigSource): TextModel {
  const model = readDecoder(source, traits);
  const slidingHeads = readSlidingHeads(source);
  const layerSpecs = model.layerSpecs.map((spec): LayerSpec => {
    if (spec.mixer.kind !== "attention") {
      return spec;
    }
    const mixer =
      spec.mixer.scope.kind === "sliding" ? { ...spec.mixer, heads: slidingHeads ?? spec.mixer.heads } : spec.mixer;
    return { ...spec, mixer, extras: outputGate(source, mixer, gate) };
  });
  return {
    ...model,
    layerSpecs,
    rope: readTables(source, model.rope, layerSpecs),
    multiTokenPrediction: readPrediction(source, layerSpecs),
  };
}

function readSlidingHeads(source: ConfigSource): number | undefined {
  if (source.has("num_sliding_attention_heads")) {
    return source.count("num_sliding_attention_heads");
  }
  const other = source.section("attention_other_setting");
  return other?.raw("attention_type") === "sliding_attention" ? other.count("num_attention_heads") : undefined;
}

/** Older configs list the rotary share of the head by layer. */
function readTables(source: ConfigSource, rope: Rope, layerSpecs: readonly LayerSpec[]): Rope {
  const factors = source.raw("partial_rotary_factors");
  if (!Array.isArray(factors)) {
    return rope;
  }
  const kinds = [isFull, isSliding].map((test) =>
    layerSpecs.findIndex(({ mixer }) => mixer.kind === "attention" && test(mixer)),
  );
  const tables = kinds.flatMap((layer) => {
    const mixer = layerSpecs[layer]?.mixer;
    const factor: unknown = factors[layer];
    if (mixer?.kind !== "attention" || typeof factor !== "number" || !(factor > 0 && factor <= 1)) {
      return [];
    }
    return [
      { positions: rope.tables[0]?.positions ?? rope.maxContextTokens, rotaryDim: Math.floor(mixer.headDim * factor) },
    ];
  });
  if (tables.length === 0) {
    source.problem("partial_rotary_factors", "must have a number from 0 to 1 for each layer");
  }
  return { ...rope, tables };
}

function isFull({ scope }: GroupedQueryAttention): boolean {
  return scope.kind === "full";
}

function isSliding({ scope }: GroupedQueryAttention): boolean {
  return scope.kind === "sliding";
}

/** Dense sliding layers, each with its own head. */
function readPrediction(source: ConfigSource, layerSpecs: readonly LayerSpec[]): MultiTokenPrediction | undefined {
  const count = source.optionalCount("num_nextn_predict_layers");
  const last = layerSpecs.findLast(({ mixer }) => mixer.kind === "attention" && isSliding(mixer)) ?? layerSpecs.at(-1);
  if (count === 0 || last === undefined) {
    return undefined;
  }
  const head = {
    name: "shared_head.output",
    outputs: source.size("vocab_size"),
    inputs: source.size(DIMENSION_KEYS.hidden),
    split: "outputs",
  } as const;
  const layer: LayerSpec = {
    ...last,
    feedForward: readDense(source, traits, DIMENSION_KEYS.intermediate),
    extras: [...(last.extras ?? []), head],
  };
  return { layerSpecs: range(count).map(() => layer), repeatsEmbeddings: false };
}
