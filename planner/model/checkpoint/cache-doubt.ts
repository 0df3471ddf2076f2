/** Whether config.json is reliable about the KV cache of an unknown model type. */
import type { GroupedQueryAttention } from "../architecture";
import type { ConfigSource } from "../config-source";
import type { CheckpointLayout, PlacedTensor } from "./layout";
import { roleOf } from "./role";

/** Tensors of a state, a compressed or a second cache, whose size per token the engine chooses. */
const OTHER_CACHES =
  /(^|\.)(A_log|A_logs|dt_bias|dt_proj|conv1d|ssm|mamba|linear_attn|indexer|kv_a_proj\w*|cross_attn|encoder_attn)(\.|$)/;

/**
 * Reason, to follow "the cache is not known: "; undefined where every layer has keys and values of
 * the shape in config.json, so that each caches one of both per token.
 */
export function cacheDoubt(
  source: ConfigSource,
  { tensors }: CheckpointLayout,
  layers: number,
  attention: GroupedQueryAttention | undefined,
): string | undefined {
  if (tensors.length === 0) {
    return "the shapes of its keys and values are not at hand";
  }
  if (attention === undefined) {
    return "config.json does not say how many attention heads it has";
  }
  if (source.has("kv_lora_rank")) {
    return "its keys and values are compressed (kv_lora_rank), and what is cached of them depends on the engine's code";
  }
  if (source.raw("is_encoder_decoder") === true) {
    return "it has an encoder and a decoder";
  }
  const inLayers = tensors.filter(({ place }) => place.at === "layer" && place.layer < layers);
  const other = inLayers.find(({ tensor }) => OTHER_CACHES.test(tensor.name));
  if (other !== undefined) {
    return `${other.tensor.name} belongs to another kind of attention or state`;
  }
  return projectionDoubt(inLayers, layers, attention);
}

function projectionDoubt(
  inLayers: readonly PlacedTensor[],
  layers: number,
  { heads, kvHeads, headDim }: GroupedQueryAttention,
): string | undefined {
  const cached = kvHeads * headDim;
  const found = new Map<number, Set<string>>();
  for (const placed of inLayers) {
    const { projection = "", cut, parameter } = roleOf(placed);
    if ((cut !== "heads" && cut !== "headsAndQueries") || placed.place.at !== "layer") {
      continue;
    }
    const outputs = outputsOf(placed, parameter);
    if (outputs === undefined) {
      continue;
    }
    const stated = cut === "heads" ? cached : cached * 2 + heads * headDim;
    if (outputs !== stated) {
      return `${placed.tensor.name} has ${outputs} outputs, and config.json states ${stated}`;
    }
    const kinds = found.get(placed.place.layer) ?? new Set();
    for (const kind of cut === "heads" ? [kindOf(projection)] : ["key", "value"]) {
      kinds.add(kind);
    }
    found.set(placed.place.layer, kinds);
  }
  for (let layer = 0; layer < layers; layer += 1) {
    if (found.get(layer)?.size !== 2) {
      return `layer ${layer} has no keys and values of a known name and shape`;
    }
  }
  return undefined;
}

function kindOf(projection: string): string {
  return /^(k_proj|wk|key)$/.test(projection) ? "key" : "value";
}

/** Rows of a plain or packed matrix; GPTQ and AWQ have one scale per output, last dimension. */
function outputsOf({ tensor: { shape } }: PlacedTensor, parameter: string): number | undefined {
  if (shape.length !== 2) {
    return undefined;
  }
  if (parameter === "weight" || parameter === "weight_packed") {
    return shape[0];
  }
  return parameter === "scales" ? shape[1] : undefined;
}
