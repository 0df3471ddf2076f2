/**
 * Rotary embeddings: context limit, and size of the table of sines and cosines on every GPU. Table
 * sizes follow vLLM 0.33 (model_executor/layers/rotary_embedding), unchanged since 0.8.
 */
import type { RotaryTable } from "./architecture";
import type { ConfigSource } from "./config-source";

export interface Rope {
  readonly maxContextTokens: number;
  /** yarn's multiple of the trained positions, where different: see ModelArchitecture. */
  readonly scaledContextTokens?: number;
  readonly tables: readonly RotaryTable[];
}

export interface RopeOptions {
  readonly headDim: number;
  /** An unscaled table for sliding layers (Gemma 3). */
  readonly separateSlidingTable?: boolean;
  /** max_position_embeddings includes the scaling (Gemma 3). */
  readonly contextIncludesScaling?: boolean;
}

/**
 * Table positions per configured position with multi-dimensional rotary embedding (vLLM:
 * mrope_positions_factor).
 */
const MULTI_MODAL_POSITIONS_FACTOR = 4;

/** Unknown scaling types count as unscaled. */
export function readRope(source: ConfigSource, options: RopeOptions): Rope {
  const maxPositions = source.positions(
    ["max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "n_ctx"],
    2048,
  );
  const scaling = ropeSection(source);
  const rotaryDim = readRotaryDim(source, scaling, options.headDim);
  const type = scaling?.text(["rope_type", "type"], "default") ?? "default";
  const factor = scaling?.has("factor") ? scaling.factor("factor") : 1;
  const original = scaling?.has("original_max_position_embeddings")
    ? scaling.positions("original_max_position_embeddings")
    : source.positions("original_max_position_embeddings", maxPositions);
  const reach = options.contextIncludesScaling ? maxPositions : contextReach(type, maxPositions, factor);
  const scaled = isYarn(type) && !options.contextIncludesScaling ? Math.floor(original * factor) : undefined;
  const table = (positions: number): RotaryTable => ({ positions, rotaryDim });
  const tables = [table(tablePositions(type, scaling?.has("mrope_section") ?? false, maxPositions, original, factor))];
  if (options.separateSlidingTable) {
    const sliding = ropeSettings(source)?.section("sliding_attention");
    tables.push({
      positions: maxPositions,
      rotaryDim: sliding ? readRotaryDim(source, sliding, options.headDim) : rotaryDim,
    });
  }
  const maxContextTokens = Math.floor(reach);
  return {
    maxContextTokens,
    ...(scaled !== undefined && scaled !== maxContextTokens && { scaledContextTokens: scaled }),
    tables,
  };
}

/** rope_scaling, or rope_parameters (transformers 5), possibly by layer type. */
function ropeSection(source: ConfigSource): ConfigSource | undefined {
  const section = ropeSettings(source);
  return section?.section("full_attention") ?? section;
}

function ropeSettings(source: ConfigSource): ConfigSource | undefined {
  return source.section("rope_scaling") ?? source.section("rope_parameters");
}

function readRotaryDim(source: ConfigSource, scaling: ConfigSource | undefined, headDim: number): number {
  const given = source.optionalSize("rotary_dim");
  if (given !== undefined) {
    return given;
  }
  const holder = scaling?.has("partial_rotary_factor") ? scaling : source;
  const key = holder.firstKey("partial_rotary_factor", "rotary_pct", "rope_pct");
  return key === undefined ? headDim : Math.max(1, Math.floor(headDim * holder.factor(key, 1)));
}

/**
 * vLLM's rule (0.33.0: _get_and_verify_max_len in config/model.py): scaling extends the configured
 * positions, except for types whose config states the extended length.
 */
function contextReach(type: string, maxPositions: number, factor: number): number {
  const includesScaling =
    ["default", "llama3", "longrope", "su", "mrope", "proportional"].includes(type) || isYarn(type);
  return includesScaling ? maxPositions : maxPositions * factor;
}

function isYarn(type: string): boolean {
  return type === "yarn" || type === "deepseek_yarn";
}

function tablePositions(
  type: string,
  multiModal: boolean,
  maxPositions: number,
  original: number,
  factor: number,
): number {
  if (type === "linear" || type === "dynamic" || type === "ntk") {
    return maxPositions * factor;
  }
  if (isYarn(type)) {
    return original * factor;
  }
  if (type === "longrope" || type === "su") {
    return maxPositions + original;
  }
  return multiModal ? maxPositions * MULTI_MODAL_POSITIONS_FACTOR : maxPositions;
}
