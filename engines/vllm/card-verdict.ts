/** Whether an engine starts on a card: what its image has code for, and which number formats the card can hold. */

import { type CardNeeds, meets } from "../../catalog/card-needs";
import { imageEntry } from "../../catalog/images";
import type { CardAbilities, GpuSpec } from "../../catalog/shapes";
import { formatFor } from "../../planner/model/format-names";
import type { WeightFormat } from "../../planner/model/quantization";
import type { ModelRequest } from "../../planner/request";
import { engineImageName, engineVersion } from "..";
import { servedCacheDtype } from "./memory/served-model";
import { dtypeAskedFor } from "./weight-format";
import { cacheDtypes, checkpointMethods, noFloat16, type WeightKind, weightKindOf } from "./weight-formats";

/** Why an engine would not start, and what would change that. */
export interface CardRefusal {
  readonly reason: string;
  readonly remedy: string;
}

export interface CardVerdict {
  readonly refusals: readonly CardRefusal[];
  /** What a reader of the plan should know of a model that starts. */
  readonly notes: readonly string[];
}

const NOTHING: CardVerdict = { refusals: [], notes: [] };
const OTHER_CARDS = "take a pool with other cards";

/** What can be said of a model on a card before its memory is counted; of an unread card, nothing: see unknownCards. */
export function cardVerdict(model: ModelRequest, gpu: GpuSpec): CardVerdict {
  const pinned = engineVersion(model.engine);
  if (gpu.abilities === undefined) {
    return NOTHING;
  }
  if (model.engineVersion !== pinned) {
    return {
      // This one is the same in every version (check_if_supports_dtype, 0.8.0 to 0.33.0).
      refusals: model.engine === "vllm" ? dtypeRefusals(model, gpu) : [],
      notes: [`which cards ${model.engine} ${model.engineVersion} supports was not read; ${pinned} was`],
    };
  }
  const built = imageVerdict(model, gpu, gpu.abilities);
  if (built || model.engine !== "vllm") {
    return built ?? NOTHING;
  }
  const card = { model: gpu.model, ...gpu.abilities };
  const format = formatFor(model.architecture, model.quantization);
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

type Card = CardAbilities & { readonly model: string };

function refused(reason: string, remedy: string): CardVerdict {
  return { refusals: [{ reason, remedy }], notes: [] };
}

function noted(note: string): CardVerdict {
  return { refusals: [], notes: [note] };
}

/** Undefined when the engine's image has device code for the card, or it is not known which cards it has it for. */
function imageVerdict(
  { name, engine, task }: ModelRequest,
  gpu: GpuSpec,
  card: CardAbilities,
): CardVerdict | undefined {
  const built = imageFor(engine, gpu);
  if (built === undefined || meets(card, built) !== "no") {
    return undefined;
  }
  const other = engine === "vllm" && task !== "rerank" ? imageFor("ollama", gpu) : undefined;
  const ollama = other !== undefined && meets(card, other) !== "no" ? `write models.${name}.engine: ollama, or ` : "";
  return refused(
    `${describe({ model: gpu.model, ...card })}, and the image of ${engine} ${engineVersion(engine)} is built for ${described(built, card)}`,
    `${ollama}${OTHER_CARDS}`,
  );
}

function imageFor(engine: ModelRequest["engine"], { vendor }: GpuSpec) {
  const image = engineImageName(engine, vendor);
  return image === undefined ? undefined : imageEntry(image).gpus;
}

function weightVerdicts(model: ModelRequest, format: WeightFormat, card: Card): CardVerdict[] {
  const kinds = new Set(format.rules.flatMap(({ scheme }) => weightKindOf(scheme.name) ?? []));
  return [...kinds].flatMap((kind) => {
    const methods = checkpointMethods.filter(
      ({ method, weights }) => method === format.method && (weights?.includes(kind.weights) ?? true),
    );
    const failing = [kind, ...methods].find((needs) => meets(card, needs) === "no");
    return failing ? [weightsRefused(model, kind, failing, card)] : weightNotes(kind, card);
  });
}

function weightsRefused({ architecture }: ModelRequest, kind: WeightKind, needs: CardNeeds, card: Card): CardVerdict {
  const isMadeAtLoad = architecture.quantization.rules.length === 0;
  return refused(
    `${describe(card)}, and vLLM needs ${described(needs, card)} for ${kind.weights} weights`,
    isMadeAtLoad ? `remove quantization or write another, or ${OTHER_CARDS}` : OTHER_CARDS,
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
const compressedAttentionNeeds: CardNeeds = { computeCapability: 9.0 };

function attentionVerdict({ architecture }: ModelRequest, card: Card): CardVerdict {
  const isCompressed = architecture.layerSpecs.some(({ mixer }) => mixer.kind === "compressed");
  if (!isCompressed || meets(card, compressedAttentionNeeds) !== "no") {
    return NOTHING;
  }
  return refused(
    `${describe(card)}, and vLLM needs ${described(compressedAttentionNeeds, card)} for the attention of ${architecture.family}`,
    OTHER_CARDS,
  );
}

function dtypeRefusals(model: ModelRequest, gpu: GpuSpec): readonly CardRefusal[] {
  const format = formatFor(model.architecture, model.quantization);
  const isAsked = dtypeAskedFor(model) === "bfloat16";
  return isAsked && gpu.abilities ? dtypeVerdict(model, format, { model: gpu.model, ...gpu.abilities }).refusals : [];
}

/** `--dtype auto` takes float16 where a card has no bfloat16, and float32 for families that float16 breaks. */
function dtypeVerdict(model: ModelRequest, format: WeightFormat, card: Card): CardVerdict {
  const asked = dtypeAskedFor(model);
  if (card.bf16 || (asked ?? format.baseDtype) !== "bfloat16") {
    return NOTHING;
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

function cacheVerdict(
  { name, architecture, engine, engineVersion, kvCacheDtype }: ModelRequest,
  card: Card,
): CardVerdict {
  const dtype = servedCacheDtype({ architecture, engine: { name: engine, version: engineVersion }, kvCacheDtype });
  const row = cacheDtypes.find((each) => each.dtype === dtype);
  if (row === undefined) {
    return NOTHING;
  }
  const isLatent = architecture.layerSpecs.some(({ mixer }) => mixer.kind === "latent");
  const needs =
    isLatent && row.latentComputeCapability ? { ...row, computeCapability: row.latentComputeCapability } : row;
  if (meets(card, needs) !== "no") {
    return NOTHING;
  }
  const key = `models.${name}.vllm.kvCacheDtype`;
  const asked =
    kvCacheDtype === "auto" ? `the ${dtype} KV cache that its checkpoint asks for` : `kvCacheDtype ${dtype}`;
  return refused(
    `${describe(card)}, and vLLM needs ${described(needs, card)} for ${asked}`,
    dtype === "fp8" && card.bf16 ? `write ${key}: bfloat16` : kvCacheDtype === "auto" ? OTHER_CARDS : `remove ${key}`,
  );
}

function describe({ model, computeCapability, gfx }: Pick<Card, "model" | "computeCapability" | "gfx">): string {
  return gfx === undefined ? `${model} has compute capability ${computeCapability?.toFixed(1)}` : `${model} is ${gfx}`;
}

/** What is needed, in the words of the card's vendor. */
function described({ computeCapability = 0, gfx = [] }: CardNeeds, card: CardAbilities): string {
  if (card.gfx === undefined) {
    return `compute capability ${computeCapability.toFixed(1)} or higher`;
  }
  return gfx.length > 0 ? `one of ${gfx.join(", ")}` : "a card of NVIDIA";
}
