/**
 * LongCat-Flash: two latent attentions and two dense blocks per layer, experts across both, and
 * router slots that pass tokens unchanged. Source: vLLM 0.33.0, longcat_flash.py.
 */
import type { LayerSpec } from "../architecture";
import type { ConfigSource } from "../config-source";
import { readRope } from "../rope";
import { readLatentAttention } from "./attention";
import { DIMENSION_KEYS, type FamilyReader, type TextModel } from "./family";
import { readDense, readExperts } from "./feed-forward";
import { none, range } from "./hybrid-model";
import type { DecoderTraits } from "./traits";

const traits: DecoderTraits = {
  expertWidthKey: ["expert_ffn_hidden_size", "moe_intermediate_size"],
  routerInFloat32: true,
};

export const longcatReader: FamilyReader = { modelTypes: ["longcat_flash"], read: readLongcat };

function readLongcat(source: ConfigSource): TextModel {
  const attention = readLatentAttention(source);
  const dense = readDense(source, traits, DIMENSION_KEYS.intermediate);
  const experts = readExperts(source, traits);
  const layer: LayerSpec = {
    mixer: attention,
    parallelMixer: attention,
    feedForward:
      experts === undefined
        ? none
        : {
            ...experts,
            zeroExperts: source.optionalCount("zero_expert_num"),
            // tensor parallelism splits the two dense blocks like one of twice the width
            parallelDense: { ...dense, width: 2 * dense.width },
          },
    normVectors: 4,
    normBias: false,
  };
  if (experts === undefined) {
    source.problem("n_routed_experts", "must be above 0");
  }
  return {
    kind: "decoder",
    layerSpecs: range(source.count(DIMENSION_KEYS.layers)).map(() => layer),
    rope: readRope(source, { headDim: attention.ropeHeadDim }),
    tieEmbeddingsByDefault: false,
    finalNormVectors: 1,
    finalNormBias: false,
  };
}
