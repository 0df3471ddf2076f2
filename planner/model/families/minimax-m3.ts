/**
 * MiniMax-M3: grouped-query attention whose sparse layers choose blocks of keys by an indexer.
 * Sources: transformers 5.19.0, modeling_minimax_m3_vl.py; vLLM 0.33.0,
 * models/minimax_m3/nvidia/model.py.
 */
import type { LayerSpec, SparseIndexer } from "../architecture";
import type { ConfigSource } from "../config-source";
import { readPerLayer } from "./attention";
import { readDecoder } from "./decoder";
import type { FamilyReader, TextModel } from "./family";
import type { DecoderTraits } from "./traits";

const traits: DecoderTraits = {
  queryKeyNorm: "head",
  expertWidthKey: "intermediate_size",
  denseWidthKey: "dense_intermediate_size",
  routerBias: { key: "use_routing_bias" },
};

export const minimaxM3Reader: FamilyReader = {
  modelTypes: ["minimax_m3", "minimax_m3_text", "minimax_m3_vl", "minimax_m3_vl_text"],
  read: readMinimaxM3,
};

function readMinimaxM3(source: ConfigSource): TextModel {
  const model = readDecoder(source, traits);
  const isSparse = sparseLayerTest(source, model.layerSpecs.length);
  return {
    ...model,
    layerSpecs: model.layerSpecs.map(
      (spec, layer): LayerSpec =>
        spec.mixer.kind === "attention" && isSparse(layer)
          ? { ...spec, mixer: { ...spec.mixer, indexer: readIndexer(source) } }
          : spec,
    ),
  };
}

/** The list of published files, or transformers' `layer_types`. */
function sparseLayerTest(source: ConfigSource, layers: number): (layer: number) => boolean {
  const sparse = source.section("sparse_attention_config")?.integerList("sparse_attention_freq");
  if (sparse !== undefined) {
    return (layer) => sparse[layer] === 1;
  }
  const types = readPerLayer(source, "layer_types", layers);
  return (layer) => types?.[layer] === "minimax_m3_sparse";
}

function readIndexer(source: ConfigSource): SparseIndexer {
  const section = source.section("sparse_attention_config");
  return {
    heads: section?.count("sparse_num_index_heads") ?? source.count("index_n_heads"),
    headDim: section?.size("sparse_index_dim") ?? source.size("index_head_dim"),
  };
}
