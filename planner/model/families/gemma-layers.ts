/** Common to small Gemma models: per-layer embeddings, and last layers that read earlier caches. */
import type { GroupedQueryAttention, OuterTensor, ProjectionShape } from "../architecture";
import type { ConfigSource } from "../config-source";
import { matrix } from "./recurrent";

/** The first of the final layers without keys and values. */
export function firstReusingLayer(source: ConfigSource, layers: number): number {
  const reusing = source.optionalCount("num_kv_shared_layers");
  if (reusing >= layers) {
    source.problem("num_kv_shared_layers", `must be below the ${layers} layers`);
  }
  return layers - reusing;
}

export function reuseCache(attention: GroupedQueryAttention): GroupedQueryAttention {
  return { ...attention, ownsCache: false, keyValueProjections: "none" };
}

/** Two matrices that mix in a layer's embedding; whole on every GPU. */
export function perLayerMixing(hidden: number, perLayerSize: number): readonly ProjectionShape[] {
  return [
    matrix("per_layer_input_gate", perLayerSize, hidden, "none"),
    matrix("per_layer_projection", hidden, perLayerSize, "none"),
  ];
}

/** Embedding table of every token and layer, and the projection added to it. */
export function perLayerEmbeddings(
  source: ConfigSource,
  layers: number,
  perLayerSize: number,
  hidden: number,
): readonly OuterTensor[] {
  const placement = "embedding";
  const columns = layers * perLayerSize;
  const vocabulary = source.size("vocab_size_per_layer_input", source.size("vocab_size"));
  return [
    { name: "model.embed_tokens_per_layer", rows: vocabulary, columns, placement, split: "vocabulary" },
    { name: "model.per_layer_model_projection", rows: columns, columns: hidden, placement, split: "rows" },
    { name: "model.per_layer_projection_norm", rows: perLayerSize, columns: 1, placement, split: "none" },
  ];
}
