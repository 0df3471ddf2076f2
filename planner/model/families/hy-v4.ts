/**
 * Hunyuan 4: latent attention with a gate and attention sinks, an indexer that some layers share
 * with an earlier one, and hyper-connections. Sources: transformers 5.19.0, modeling_hy_v4.py; vLLM
 * 0.33.0, models/hy_v4/nvidia.
 */
import type { LatentAttention, LayerSpec, ProjectionShape } from "../architecture";
import type { ConfigSource } from "../config-source";
import { readPerLayer } from "./attention";
import { readDecoder } from "./decoder";
import { DIMENSION_KEYS, type FamilyReader, type TextModel } from "./family";
import { type HyperConnection, hyperConnectionHead, hyperConnectionTensors } from "./hyper-connections";
import type { DecoderTraits } from "./traits";

const traits: DecoderTraits = { routerInFloat32: true };

export const hyV4Reader: FamilyReader = { modelTypes: ["hy_v4"], read: readHyV4 };

function readHyV4(source: ConfigSource): TextModel {
  const model = readDecoder(source, traits);
  const connection = readHyperConnection(source);
  const indexers = readPerLayer(source, "indexer_types", model.layerSpecs.length);
  return {
    ...model,
    layerSpecs: model.layerSpecs.map((spec, layer): LayerSpec => {
      const { mixer } = spec;
      if (mixer.kind !== "latent") {
        return spec;
      }
      return {
        ...spec,
        mixer: indexers?.[layer] === "shared" ? { ...mixer, indexer: undefined } : mixer,
        extras: [...gateAndSinks(mixer, source), ...hyperConnectionTensors(connection)],
      };
    }),
    outerTensors: hyperConnectionHead(connection),
  };
}

function readHyperConnection(source: ConfigSource): HyperConnection {
  const streams = source.count("hc_mult");
  return { streams, hidden: source.size(DIMENSION_KEYS.hidden), mixes: 2 * streams, scales: 2 };
}

function gateAndSinks({ heads, valueHeadDim }: LatentAttention, source: ConfigSource): readonly ProjectionShape[] {
  const perHead = source.text("gating_type", "elementwise") === "headwise";
  const inputs = source.size(DIMENSION_KEYS.hidden);
  const outputs = heads * (perHead ? 1 : valueHeadDim);
  return [
    ...(source.flag("gated_mla", true)
      ? [{ name: "self_attn.gate_proj", outputs, inputs, split: "outputs" as const }]
      : []),
    ...(source.flag("learnable_sink", true)
      ? [{ name: "self_attn.sinks", outputs: heads, inputs: 1, split: "outputs" as const }]
      : []),
  ];
}
