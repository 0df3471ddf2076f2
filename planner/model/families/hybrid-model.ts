import type { Dtype, FeedForward, LayerSpec, Mixer } from "../architecture";
import type { ConfigSource } from "../config-source";
import { readDtype } from "../quantization-config";
import { readRope } from "../rope";
import type { TextModel } from "./family";

export const none = { kind: "none" } as const;

/** A layer per feed-forward block: its mixer, and a norm before each. */
export function hybridLayers(
  feedForwards: readonly FeedForward[],
  mixerOf: (layer: number) => Mixer,
): readonly LayerSpec[] {
  return feedForwards.map((feedForward, layer) => ({
    mixer: mixerOf(layer),
    feedForward,
    normVectors: 2,
    normBias: false,
  }));
}

/** Without tables when attention has no rotary embedding. */
export function hybridModel(
  source: ConfigSource,
  layerSpecs: readonly LayerSpec[],
  options: { tables: boolean },
): TextModel {
  const attention = layerSpecs.map((layer) => layer.mixer).find((mixer) => mixer.kind === "attention");
  const rope = readRope(source, { headDim: attention?.kind === "attention" ? attention.headDim : 1 });
  return {
    kind: "decoder",
    layerSpecs,
    rope: options.tables ? rope : { ...rope, tables: [] },
    tieEmbeddingsByDefault: false,
    finalNormVectors: 1,
    finalNormBias: false,
    recurrentStateDtype: readRecurrentStateDtype(source),
  };
}

function readRecurrentStateDtype(source: ConfigSource): Dtype | undefined {
  const holder = source.firstKey("mamba_ssm_cache_dtype", "mamba_ssm_dtype");
  if (holder === undefined) {
    return undefined;
  }
  return source.text(holder, "") === "float32" ? "float32" : readDtype(source);
}

export function range(length: number): readonly number[] {
  return Array.from({ length }, (_, index) => index);
}
