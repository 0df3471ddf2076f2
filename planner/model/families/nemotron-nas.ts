/**
 * Llama-Nemotron (DeciLM): Llama layers thinned by architecture search; `block_configs` has the
 * rest of each. Source: modeling_decilm.py of the checkpoints.
 */
import type { GroupedQueryAttention, LayerSpec, ProjectionShape } from "../architecture";
import type { ConfigSource } from "../config-source";
import { readRope } from "../rope";
import { readHeadDim } from "./attention";
import { DIMENSION_KEYS, type FamilyReader, type TextModel } from "./family";
import { none } from "./hybrid-model";
import { matrix } from "./recurrent";

/** Feed-forward widths round up to its multiples. */
const WIDTH_MULTIPLE = 256;

export const nemotronNasReader: FamilyReader = { modelTypes: ["nemotron-nas"], read: readNemotronNas };

function readNemotronNas(source: ConfigSource): TextModel {
  const layers = source.count(DIMENSION_KEYS.layers);
  const blocks = source.sections("block_configs");
  if (blocks.length !== layers) {
    source.problem("block_configs", `has ${blocks.length} entries for ${layers} layers`);
  }
  const layerSpecs = blocks.slice(0, layers).map((block) => readLayer(source, block));
  return {
    kind: "decoder",
    layerSpecs,
    rope: readRope(source, { headDim: readHeadDim(source, source.count(DIMENSION_KEYS.heads)) }),
    tieEmbeddingsByDefault: false,
    finalNormVectors: 1,
    finalNormBias: false,
  };
}

function readLayer(source: ConfigSource, block: ConfigSource): LayerSpec {
  const hidden = source.size(DIMENSION_KEYS.hidden);
  const attention = block.section("attention");
  const feedForward = block.section("ffn");
  const mixer = attention !== undefined && isKept(attention) ? readAttention(source, attention) : none;
  const width = feedForward !== undefined && isKept(feedForward) ? readWidth(feedForward, hidden) : 0;
  const blocks = [attention, feedForward];
  return {
    mixer,
    feedForward: width > 0 ? { kind: "dense", width, gated: true, bias: false } : none,
    normVectors: blocks.filter((part) => part?.flag("no_op", false) === false).length,
    normBias: false,
    extras: blocks.flatMap((part, index): readonly ProjectionShape[] =>
      part?.flag("replace_with_linear", false) ? [matrix(`linear_proj_${index}`, hidden, hidden, "none")] : [],
    ),
  };
}

/** Neither removed nor replaced by one matrix. */
function isKept(part: ConfigSource): boolean {
  return !part.flag("no_op", false) && !part.flag("replace_with_linear", false);
}

function readAttention(source: ConfigSource, attention: ConfigSource): GroupedQueryAttention {
  const heads = source.count(DIMENSION_KEYS.heads);
  const headsPerGroup = attention.count("n_heads_in_group");
  if (heads % headsPerGroup !== 0) {
    attention.problem("n_heads_in_group", `must divide the ${heads} heads`);
  }
  const window = attention.optionalSize("window_length");
  return {
    kind: "attention",
    scope: window === undefined ? { kind: "full" } : { kind: "sliding", windowTokens: window },
    heads,
    kvHeads: Math.max(1, Math.floor(heads / headsPerGroup)),
    headDim: readHeadDim(source, heads),
    queryKeyValueBias: source.flag("attention_bias", false),
    outputBias: source.flag("attention_bias", false),
    queryKeyNorm: "none",
    outputGate: false,
    sinks: false,
    ownsCache: true,
  };
}

/** `ffn_mult` is for an ungated block; gated ones have two thirds. */
function readWidth(feedForward: ConfigSource, hidden: number): number {
  const width = Math.floor((2 * feedForward.factor("ffn_mult") * hidden) / 3);
  return Math.ceil(width / WIDTH_MULTIPLE) * WIDTH_MULTIPLE;
}
