/** Feed-forward block of each layer: dense or mixture of experts. */
import type { DenseFeedForward, FeedForward, MixtureOfExperts } from "../architecture";
import type { ConfigSource } from "../config-source";
import { readPerLayer, traitFlag } from "./attention";
import { DIMENSION_KEYS } from "./family";
import type { DecoderTraits } from "./traits";

const EXPERT_COUNT_KEYS = ["num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"] as const;
const EXPERTS_PER_TOKEN_KEYS = [
  "num_experts_per_tok",
  "num_experts_per_token",
  "experts_per_token",
  "moe_topk",
  "moe_k",
  "moe_top_k",
  "top_k_experts",
] as const;

export function readFeedForwardLayers(
  source: ConfigSource,
  layers: number,
  traits: DecoderTraits,
): readonly FeedForward[] {
  const experts = readExperts(source, traits);
  if (experts === undefined) {
    const dense = readDense(source, traits, DIMENSION_KEYS.intermediate);
    return Array.from({ length: layers }, () => dense);
  }
  const hasExperts = expertLayerTest(source, layers, traits);
  const needsDense = Array.from({ length: layers }, (_, layer) => layer).some((layer) => !hasExperts(layer));
  const dense = needsDense ? readDense(source, traits, traits.denseWidthKey ?? DIMENSION_KEYS.intermediate) : undefined;
  return Array.from({ length: layers }, (_, layer) => (dense === undefined || hasExperts(layer) ? experts : dense));
}

export function readDense(
  source: ConfigSource,
  traits: DecoderTraits,
  widthKeys: string | readonly string[],
): DenseFeedForward {
  return {
    kind: "dense",
    width: source.size(widthKeys),
    gated: traits.gated ?? true,
    bias: traitFlag(source, traits.feedForwardBias),
  };
}

/** Undefined for dense models. */
export function readExperts(source: ConfigSource, traits: DecoderTraits): MixtureOfExperts | undefined {
  const count = source.optionalCount(EXPERT_COUNT_KEYS);
  if (count === 0) {
    return undefined;
  }
  const width = source.size(
    traits.expertWidthKey ?? ["moe_intermediate_size", "expert_intermediate_size", "intermediate_size"],
  );
  const expertsPerToken = source.count(EXPERTS_PER_TOKEN_KEYS);
  if (expertsPerToken > count) {
    source.problem(
      source.firstKey(...EXPERTS_PER_TOKEN_KEYS) ?? "num_experts_per_tok",
      `must not exceed the ${count} experts`,
    );
  }
  const gated = traits.gated ?? true;
  const sharedWidth = readSharedWidth(source, traits, width);
  return {
    kind: "experts",
    experts: count,
    expertsPerToken,
    width,
    gated,
    bias: traits.expertBias ?? false,
    routerBias: traitFlag(source, traits.routerBias),
    ...(traits.routerInFloat32 && { routerDtype: "float32" }),
    ...(sharedWidth > 0 && {
      shared: { width: sharedWidth, gated, gateVector: traits.sharedExpertGate ?? false },
    }),
  };
}

function readSharedWidth(source: ConfigSource, traits: DecoderTraits, expertWidth: number): number {
  if (traits.impliedSharedExpert) {
    return expertWidth;
  }
  const stated = source.optionalSize([
    "shared_expert_intermediate_size",
    "moe_shared_expert_intermediate_size",
    "shared_intermediate_size",
    "share_expert_dim",
  ]);
  const experts = source.optionalCount([
    "n_shared_experts",
    "num_shared_experts",
    "num_shared_expert",
    "moe_num_shared_experts",
  ]);
  if (stated !== undefined) {
    return stated * Math.max(1, experts);
  }
  return experts * expertWidth;
}

/** Every family's spelling of expert layers; a config has one. */
function expertLayerTest(
  source: ConfigSource,
  layers: number,
  { leadingDenseLayers = 0 }: DecoderTraits,
): (layer: number) => boolean {
  const perLayer = Array.isArray(source.raw("moe_layer_freq")) ? source.integerList("moe_layer_freq") : undefined;
  if (perLayer !== undefined) {
    return (layer) => perLayer[layer] === 1;
  }
  const listed = readListedLayers(source);
  if (listed !== undefined) {
    return (layer) => listed.has(layer);
  }
  const types = readPerLayer(source, "mlp_layer_types", layers);
  if (types !== undefined) {
    return (layer) => types[layer] !== "dense";
  }
  const firstDenseKey = source.firstKey("first_k_dense_replace", "num_dense_layers", "moe_layer_start_index");
  const firstDense = firstDenseKey === undefined ? leadingDenseLayers : source.optionalCount(firstDenseKey);
  const step = source.count(
    ["decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval", "moe_layer_freq"],
    1,
  );
  const denseLayers = new Set(source.integerList("mlp_only_layers"));
  // layers count from 1 where the step is a period of whole blocks, from 0 in DeepSeek's frequency
  const offset = source.has("moe_layer_freq") ? 0 : 1;
  return (layer) => layer >= firstDense && (layer + offset) % step === 0 && !denseLayers.has(layer);
}

/** A list, or numbers with commas (Step). */
function readListedLayers(source: ConfigSource): ReadonlySet<number> | undefined {
  const key = source.firstKey("moe_layers", "moe_layers_enum");
  if (key === undefined) {
    return undefined;
  }
  const value = source.raw(key);
  if (typeof value !== "string") {
    return new Set(source.integerList(key));
  }
  const layers = value.split(",", 4096).map(Number);
  if (!layers.every(Number.isInteger)) {
    source.problem(key, "must be whole numbers with commas between them");
  }
  return new Set(layers);
}
