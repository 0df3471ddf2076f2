/**
 * HRM-Text: two stacks of layers in turns, the low one several times per high one. Weights are held
 * once; every pass has its own cache. Sources: transformers 5.19, modeling_hrm_text.py; vLLM 0.33,
 * hrm_text.py.
 */
import type { GroupedQueryAttention, LayerSpec } from "../architecture";
import type { ConfigSource } from "../config-source";
import { readRope } from "../rope";
import { readGroupedQueryAttention } from "./attention";
import { DIMENSION_KEYS, type FamilyReader, type TextModel } from "./family";
import { readDense } from "./feed-forward";
import { none, range } from "./hybrid-model";
import type { DecoderTraits } from "./traits";

const traits: DecoderTraits = {
  queryKeyValueBias: { key: "attention_bias" },
  outputBias: { key: "attention_bias" },
  feedForwardBias: { key: "mlp_bias" },
};

/** Bounds the planner's work, like the limit of layers. */
const MAX_PASSES = 4096;

export const hrmTextReader: FamilyReader = { modelTypes: ["hrm_text"], read: readHrmText };

function readHrmText(source: ConfigSource): TextModel {
  const lowCycles = source.count("L_cycles", 3);
  const steps = source.count("H_cycles", 2) * (lowCycles + 1);
  // num_hidden_layers counts passes where num_layers_per_stack is given, else layers of a stack
  const stack = source.count(["num_layers_per_stack", ...DIMENSION_KEYS.layers]);
  const passes = steps * stack;
  if (passes > MAX_PASSES) {
    source.problem("H_cycles", `makes ${passes} layer passes; at most ${MAX_PASSES} can be planned`);
  }
  const attention: GroupedQueryAttention = { ...readGroupedQueryAttention(source, traits), outputGate: true };
  const feedForward = readDense(source, traits, DIMENSION_KEYS.intermediate);
  const layerSpecs = range(Math.min(passes, MAX_PASSES)).map((pass): LayerSpec => {
    const step = Math.floor(pass / stack);
    const isFirstOfItsStack = step === 0 || step === lowCycles;
    return {
      mixer: isFirstOfItsStack ? attention : { ...attention, borrowsWeights: true },
      feedForward: isFirstOfItsStack ? feedForward : none,
      normVectors: 0,
      normBias: false,
    };
  });
  return {
    kind: "decoder",
    layerSpecs,
    rope: readRope(source, { headDim: attention.headDim }),
    tieEmbeddingsByDefault: false,
    finalNormVectors: 0,
    finalNormBias: false,
    outerTensors: [
      {
        name: "model.z_L_init",
        rows: source.size(DIMENSION_KEYS.hidden),
        columns: 1,
        placement: "embedding",
        split: "none",
      },
    ],
    singleStage: true,
  };
}
