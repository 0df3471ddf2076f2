import type { LayerSpec, Mixer, MultiTokenPrediction, ProjectionShape } from "../architecture";
import type { ConfigSource } from "../config-source";
import { readRope } from "../rope";
import { outputGate, readAttentionLayers, traitFlag } from "./attention";
import { DECODER_ALIASES, decoderFamilies } from "./decoder-families";
import { DIMENSION_KEYS, type FamilyReader, type TextModel } from "./family";
import { readFeedForwardLayers } from "./feed-forward";
import type { DecoderTraits } from "./traits";

export const decoderReaders: readonly FamilyReader[] = [
  ...Object.entries(decoderFamilies).map(([family, traits]) => decoderReader([family], traits)),
  ...Object.entries(DECODER_ALIASES).flatMap(([alias, family]) => {
    const traits = decoderFamilies[family];
    return traits === undefined ? [] : [decoderReader([alias], traits)];
  }),
];

function decoderReader(modelTypes: readonly string[], traits: DecoderTraits): FamilyReader {
  return { modelTypes, read: (source) => readDecoder(source, traits) };
}

export function readDecoder(source: ConfigSource, traits: DecoderTraits): TextModel {
  const layers = source.count(DIMENSION_KEYS.layers);
  const mixers = readAttentionLayers(source, layers, traits);
  const feedForwards = readFeedForwardLayers(source, layers, traits);
  const normVectors = (traits.normVectors ?? 2) + (traitFlag(source, traits.postNorms) ? 2 : 0);
  const layerSpecs = mixers.map((mixer, layer): LayerSpec => {
    const feedForward = feedForwards[layer] ?? { kind: "none" };
    const extras = [
      ...(mixer.kind === "attention" ? outputGate(source, mixer, traits.outputGate) : []),
      ...activation(traits),
    ];
    return {
      mixer,
      feedForward,
      normVectors: normVectors + (feedForward.kind === "experts" ? (traits.expertNormVectors ?? 0) : 0),
      normBias: traits.normBias ?? false,
      ...(extras.length > 0 && { extras }),
    };
  });
  const first = mixers[0];
  const headDim = first?.kind === "latent" ? first.ropeHeadDim : first?.kind === "attention" ? first.headDim : 1;
  return {
    kind: "decoder",
    layerSpecs,
    rope: readRope(source, {
      headDim,
      separateSlidingTable: traits.separateSlidingTable && mixers.some(slides),
      contextIncludesScaling: traits.contextIncludesScaling,
    }),
    tieEmbeddingsByDefault: traits.tieEmbeddings ?? false,
    headBias: traitFlag(source, traits.headBias),
    finalNormVectors: traits.finalNormVectors ?? 1,
    finalNormBias: traits.normBias ?? false,
    multiTokenPrediction: readMultiTokenPrediction(source, layerSpecs.at(-1), traits),
  };
}

function activation({ activationParameters = 0 }: DecoderTraits): readonly ProjectionShape[] {
  if (activationParameters === 0) {
    return [];
  }
  return [{ name: "mlp.act_fn", outputs: activationParameters, inputs: 1, split: "none" }];
}

function slides(mixer: Mixer): boolean {
  return mixer.kind === "attention" && mixer.scope.kind === "sliding";
}

function readMultiTokenPrediction(
  source: ConfigSource,
  layer: LayerSpec | undefined,
  traits: DecoderTraits,
): MultiTokenPrediction | undefined {
  const count = source.optionalCount("num_nextn_predict_layers");
  if (count === 0 || layer === undefined) {
    return undefined;
  }
  return {
    layerSpecs: Array.from({ length: count }, () => layer),
    repeatsEmbeddings: traits.predictionRepeatsEmbeddings ?? false,
  };
}
