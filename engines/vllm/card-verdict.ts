/** What vLLM makes of a card: which number formats of weights, activations and cache it computes in there. */
import { type CardNeeds, meets } from "../../catalog/card-needs";
import { formatFor } from "../../planner/model/format-names";
import type { WeightFormat } from "../../planner/model/quantization";
import { type Card, type CardVerdict, describe, describeNeeds, NOTHING_TO_SAY, OTHER_CARDS } from "../card";
import type { ServedModel } from "../served-model";
import { cardGaps } from "./asked-of-release";
import { servedCacheDtype } from "./memory/served-model";
import { dtypeAskedFor } from "./weight-format";
import { cacheDtypes, checkpointMethods, noFloat16, type WeightKind, weightKindOf } from "./weight-formats";

/** @param isPinned the model's version is the one that the tables of cards and formats were read from. */
export function vllmCardVerdict(model: ServedModel, card: Card, isPinned: boolean): CardVerdict {
  const format = formatFor(model.architecture, model.quantization);
  if (!isPinned) {
    // This one is the same in every version (check_if_supports_dtype, 0.8.0 to 0.33.0).
    const isAsked = dtypeAskedFor(model) === "bfloat16";
    const ofDtype = isAsked ? dtypeVerdict(model, format, card).refusals : [];
    return { refusals: [...cardGaps(model, card), ...ofDtype], notes: [] };
  }
  const parts = [
    ...weightVerdicts(model, format, card),
    dtypeVerdict(model, format, card),
    cacheVerdict(model, card),
    attentionVerdict(model, card),
  ];
  return {
    refusals: parts.flatMap(({ refusals }) => refusals),
    notes: [...new Set(parts.flatMap(({ notes }) => notes))],
  };
}

function refused(reason: string, remedy: string): CardVerdict {
  return { refusals: [{ reason, remedy }], notes: [] };
}

function noted(note: string): CardVerdict {
  return { refusals: [], notes: [note] };
}

function weightVerdicts(model: ServedModel, format: WeightFormat, card: Card): CardVerdict[] {
  const kinds = new Set(format.rules.flatMap(({ scheme }) => weightKindOf(scheme.name) ?? []));
  return [...kinds].flatMap((kind) => {
    const methods = checkpointMethods.filter(
      ({ method, weights }) => method === format.method && (weights?.includes(kind.weights) ?? true),
    );
    const failing = [kind, ...methods].find((needs) => meets(card, needs) === "no");
    return failing ? [weightsRefused(model, kind, failing, card)] : weightNotes(kind, card);
  });
}

function weightsRefused(
  { name, architecture }: ServedModel,
  kind: WeightKind,
  needs: CardNeeds,
  card: Card,
): CardVerdict {
  const isMadeAtLoad = architecture.quantization.rules.length === 0;
  return refused(
    `${describe(card)}, and vLLM needs ${describeNeeds(needs, card)} for ${kind.weights} weights`,
    isMadeAtLoad ? `remove models.${name}.quantization or write another, or ${OTHER_CARDS}` : OTHER_CARDS,
  );
}

function weightNotes(kind: WeightKind, card: Card): CardVerdict[] {
  if (meets(card, kind) === "unproven") {
    return [noted(`vLLM has a path for ${kind.weights} weights on ${card.model}, but no source shows it running`)];
  }
  if (kind.native === undefined || card[kind.native]) {
    return [];
  }
  return [noted(`${kind.weights} weights on ${card.model} save memory, not time: it computes them in 16 bits`)];
}

/**
 * What compressed attention needs: on NVIDIA it has FlashMLA's kernels (9.0 and 10.0) and FlashInfer's (12.0) alone
 * (vLLM 0.33.0: models/deepseek_v4/nvidia/model.py, models/deepseek_v4/sparse_mla.py, v1/attention/ops/flashmla.py).
 */
const COMPRESSED_ATTENTION_NEEDS: CardNeeds = { computeCapability: 9.0 };

function attentionVerdict({ architecture }: ServedModel, card: Card): CardVerdict {
  const isCompressed = architecture.layerSpecs.some(({ mixer }) => mixer.kind === "compressed");
  if (!isCompressed || meets(card, COMPRESSED_ATTENTION_NEEDS) !== "no") {
    return NOTHING_TO_SAY;
  }
  return refused(
    `${describe(card)}, and vLLM needs ${describeNeeds(COMPRESSED_ATTENTION_NEEDS, card)} for the attention of ${architecture.family}`,
    OTHER_CARDS,
  );
}

/** `--dtype auto` takes float16 where a card has no bfloat16, and float32 for families that float16 breaks. */
function dtypeVerdict(model: ServedModel, format: WeightFormat, card: Card): CardVerdict {
  const asked = dtypeAskedFor(model);
  if (card.bf16 || (asked ?? format.baseDtype) !== "bfloat16") {
    return NOTHING_TO_SAY;
  }
  const { family } = model.architecture;
  if (noFloat16.includes(family)) {
    return refused(
      `${card.model} has no bfloat16, and models of the family ${family} do not run in float16`,
      OTHER_CARDS,
    );
  }
  if (asked === "bfloat16") {
    const key = model.args?.dtype === undefined ? "quantization: fp16" : "args.dtype: half";
    return refused(
      `${card.model} has no bfloat16, and vLLM refuses to start with it below compute capability 8.0: dtype half would do`,
      `write models.${model.name}.${key}, or ask for none`,
    );
  }
  return noted(`${card.model} has no bfloat16: vLLM computes in float16`);
}

function cacheVerdict({ name, architecture, engineVersion, kvCacheDtype }: ServedModel, card: Card): CardVerdict {
  const dtype = servedCacheDtype({ architecture, engine: { version: engineVersion }, kvCacheDtype });
  const row = cacheDtypes.find((each) => each.dtype === dtype);
  if (row === undefined) {
    return NOTHING_TO_SAY;
  }
  const isLatent = architecture.layerSpecs.some(({ mixer }) => mixer.kind === "latent");
  const needs =
    isLatent && row.latentComputeCapability ? { ...row, computeCapability: row.latentComputeCapability } : row;
  if (meets(card, needs) !== "no") {
    return NOTHING_TO_SAY;
  }
  const key = `models.${name}.vllm.kvCacheDtype`;
  const asked =
    kvCacheDtype === "auto" ? `the ${dtype} KV cache that its checkpoint asks for` : `kvCacheDtype ${dtype}`;
  return refused(
    `${describe(card)}, and vLLM needs ${describeNeeds(needs, card)} for ${asked}`,
    dtype === "fp8" && card.bf16 ? `write ${key}: bfloat16` : kvCacheDtype === "auto" ? OTHER_CARDS : `remove ${key}`,
  );
}
