/**
 * Gemma 3n: several residual streams of which one is computed (AltUp), a low-rank residual
 * (LAuReL), embeddings and width per layer, and last layers that read earlier caches. Sources:
 * transformers 5.19, modeling_gemma3n.py; vLLM 0.33, gemma3n.py.
 */
import type { LayerSpec, OuterTensor, ProjectionShape } from "../architecture";
import type { ConfigSource } from "../config-source";
import { readRope } from "../rope";
import { readAttentionLayers } from "./attention";
import { DIMENSION_KEYS, type FamilyReader, type TextModel } from "./family";
import { readDense } from "./feed-forward";
import { firstReusingLayer, perLayerEmbeddings, perLayerMixing, reuseCache } from "./gemma-layers";
import { matrix } from "./recurrent";
import type { DecoderTraits } from "./traits";

const traits: DecoderTraits = {
  queryKeyValueBias: { key: "attention_bias" },
  outputBias: { key: "attention_bias" },
  queryKeyNorm: "head",
  window: { kind: "one-full-in", period: 5, key: "sliding_window_pattern" },
};

export const gemma3nReader: FamilyReader = { modelTypes: ["gemma3n", "gemma3n_text"], read: readGemma3n };

function readGemma3n(source: ConfigSource): TextModel {
  const layers = source.count(DIMENSION_KEYS.layers);
  const hidden = source.size(DIMENSION_KEYS.hidden);
  const perLayerSize = source.size("hidden_size_per_layer_input", 256);
  const streams = source.count("altup_num_inputs", 4);
  const mixers = readAttentionLayers(source, layers, traits);
  const widths = readWidths(source, layers);
  const firstReused = firstReusingLayer(source, layers);
  const extras = [
    ...streamMixing(hidden, streams),
    ...lowRankResidual(hidden, source.size("laurel_rank", 64)),
    ...perLayerMixing(hidden, perLayerSize),
  ];
  const first = mixers[0];
  return {
    kind: "decoder",
    layerSpecs: mixers.map(
      (mixer, layer): LayerSpec => ({
        mixer: mixer.kind === "attention" && layer >= firstReused ? reuseCache(mixer) : mixer,
        feedForward: { kind: "dense", width: widths[layer] ?? 1, gated: true, bias: false },
        // four around the blocks; one each of the router, its output's scale, the low-rank
        // residual, the layer's embedding
        normVectors: 8,
        normBias: false,
        extras,
      }),
    ),
    rope: readRope(source, {
      headDim: first?.kind === "attention" ? first.headDim : 1,
      separateSlidingTable: true,
      contextIncludesScaling: true,
    }),
    tieEmbeddingsByDefault: true,
    finalNormVectors: 1,
    finalNormBias: false,
    outerTensors: [
      ...perLayerEmbeddings(source, layers, perLayerSize, hidden),
      ...streamProjections("altup_projections", "embedding", hidden, streams),
      ...streamProjections("altup_unembed_projections", "head", hidden, streams),
    ],
    singleStage: true,
  };
}

/** One width, or a list by layer. */
function readWidths(source: ConfigSource, layers: number): readonly number[] {
  if (!Array.isArray(source.raw("intermediate_size"))) {
    const { width } = readDense(source, traits, DIMENSION_KEYS.intermediate);
    return Array.from({ length: layers }, () => width);
  }
  const widths = source.sizeList("intermediate_size");
  if (widths.length < layers) {
    source.problem("intermediate_size", `has ${widths.length} entries for ${layers} layers`);
  }
  return widths;
}

/** AltUp: predicts other residual streams from the computed one and corrects them. Held whole. */
function streamMixing(hidden: number, streams: number): readonly ProjectionShape[] {
  return [
    matrix("altup.correction_coefs", streams, streams, "none"),
    matrix("altup.prediction_coefs", streams * streams, streams, "none"),
    matrix("altup.modality_router", streams, hidden, "none"),
  ];
}

function lowRankResidual(hidden: number, rank: number): readonly ProjectionShape[] {
  return [matrix("laurel.linear_left", rank, hidden, "outputs"), matrix("laurel.linear_right", hidden, rank, "inputs")];
}

/** Other streams are derived from the first before the layers, and back after them. */
function streamProjections(
  name: string,
  placement: OuterTensor["placement"],
  hidden: number,
  streams: number,
): readonly OuterTensor[] {
  return Array.from({ length: streams - 1 }, (_, stream) => ({
    name: `model.${name}.${stream}`,
    rows: hidden,
    columns: hidden,
    placement,
    split: "rows",
  }));
}
