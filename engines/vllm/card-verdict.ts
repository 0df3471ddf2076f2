/** Support of a card by vLLM: number formats of weights, activations and cache per release. */
import { meets } from "../../catalog/card-needs";
import { type ReleaseSpan, spanText } from "../../catalog/engine-releases";
import { formatFor } from "../../planner/model/format-names";
import type { WeightFormat } from "../../planner/model/quantization";
import { type Card, type CardVerdict, describe, describeNeeds, NOTHING_TO_SAY, OTHER_CARDS } from "../card";
import type { ServedModel } from "../served-model";
import { cardGaps } from "./asked-of-release";
import {
  attentionRules,
  type BuildRule,
  buildRules,
  type CardRule,
  cacheRules,
  cardRulesRead,
  hasCardRules,
  isGoneIn,
  keepsRule,
  lastRun,
  rowOf,
  rowsText,
  weightRulesFor,
} from "./card-rules";
import { servedCacheDtype } from "./memory/served-model";
import { classFinding } from "./model-class";
import { dtypeAskedFor } from "./weight-format";
import { noFloat16, type WeightKind, weightKindOf } from "./weight-formats";

/** Releases of a span that fix the problem. */
type WaysOut = (span: ReleaseSpan) => ReleaseSpan | undefined;

/** Rules of the model's own release; for unread releases, those that all share. */
export function vllmCardVerdict(model: ServedModel, card: Card): CardVerdict {
  return verdictOn(model, card, (span) => releasesServing(model, card, span));
}

/** Releases that support both card and model class: others are no fix. */
function releasesServing(model: ServedModel, card: Card, span: ReleaseSpan): ReleaseSpan | undefined {
  return lastRun(span, (engineVersion) => {
    const other = { ...model, engineVersion };
    return verdictOn(other, card, () => undefined).refusals.length === 0 && classFinding(other)?.verdict !== "refused";
  });
}

function verdictOn(model: ServedModel, card: Card, waysOut: WaysOut): CardVerdict {
  const format = formatFor(model.architecture, model.quantization);
  const gaps = cardGaps(model, card, waysOut);
  if (!hasCardRules(model.engineVersion)) {
    // Equal in every version (check_if_supports_dtype, 0.8.0 to 0.33.0).
    const isAsked = dtypeAskedFor(model) === "bfloat16";
    const ofDtype = isAsked ? dtypeVerdict(model, format, card).refusals : [];
    return { refusals: [...gaps, ...ofDtype], notes: [], ...unreadOn(model, "cards") };
  }
  if (gaps.length > 0) {
    return { refusals: gaps, notes: [] };
  }
  const built = buildVerdict(model, card, waysOut);
  const parts =
    built.refusals.length > 0
      ? [built]
      : [
          ...weightVerdicts(model, format, card, waysOut),
          dtypeVerdict(model, format, card),
          cacheVerdict(model, card, waysOut),
          attentionVerdict(model, card, waysOut),
        ];
  return {
    refusals: parts.flatMap(({ refusals }) => refusals),
    notes: [...new Set(parts.flatMap(({ notes }) => notes))],
  };
}

/** Newest release that serves the model on a card unsupported by the pinned one. */
export function releaseWithCode(model: ServedModel, card: Card): string | undefined {
  return releasesServing(model, card, {})?.until;
}

/** Why support is unknown; empty for releases that were read. */
export function unreadOn({ name, engineVersion }: ServedModel, on: "cards" | "CPUs"): Pick<CardVerdict, "unread"> {
  const { since, until } = cardRulesRead;
  const reason = `what vLLM ${engineVersion} asks of ${on} was not read: releases from ${since} to ${until} were`;
  const remedy = `write models.${name}.engineVersion: "${until}", or remove it`;
  return hasCardRules(engineVersion) ? {} : { unread: { reason, remedy } };
}

function refused(reason: string, remedy: string): CardVerdict {
  return { refusals: [{ reason, remedy }], notes: [] };
}

function noted(note: string): CardVerdict {
  return { refusals: [], notes: [note] };
}

/** Rule violated by card or release: a newer release may help, else another fix. */
function broken(
  { name, engineVersion }: ServedModel,
  card: Card,
  rule: CardRule,
  waysOut: WaysOut,
  { what, otherwise }: { readonly what: string; readonly otherwise: string },
): CardVerdict {
  const row = rowOf(rule, engineVersion);
  const release = engineVersion === cardRulesRead.until ? "vLLM" : `vLLM ${engineVersion}`;
  const reason =
    row === undefined
      ? `${what} need vLLM ${rowsText(rule)}, and this is ${engineVersion}`
      : `${describe(card)}, and ${release} needs ${describeNeeds(row, card)} for ${what}`;
  const others = waysOut({ since: engineVersion }) ?? (rule === buildRuleOf(card) ? waysOut({}) : undefined);
  return refused(
    reason,
    others === undefined ? otherwise : `models.${name}: take vLLM ${spanText(others)}, or ${otherwise}`,
  );
}

function buildVerdict(model: ServedModel, card: Card, waysOut: WaysOut): CardVerdict {
  const rule = buildRuleOf(card);
  return rule === undefined || keepsRule(rule, card, model.engineVersion)
    ? NOTHING_TO_SAY
    : broken(model, card, rule, waysOut, { what: "the code in its image", otherwise: OTHER_CARDS });
}

function buildRuleOf({ gfx }: Card): BuildRule | undefined {
  return buildRules.find(({ vendor }) => vendor === (gfx === undefined ? "nvidia" : "amd"));
}

function weightVerdicts(model: ServedModel, format: WeightFormat, card: Card, waysOut: WaysOut): CardVerdict[] {
  const { architecture, engineVersion } = model;
  const kinds = new Set(format.rules.flatMap(({ scheme }) => weightKindOf(scheme.name) ?? []));
  return [...kinds].flatMap((kind) => {
    if (isGoneIn(kind.weights, engineVersion)) {
      return []; // whatever the card: see weight-format.ts
    }
    const madeAtLoad = architecture.quantization.rules.length === 0 && kind.madeAtLoad.length > 0;
    const rules = weightRulesFor(kind.weights, {
      ...(format.method !== undefined && { method: format.method.replace(/_fp4$/, "") }),
      experts: architecture.experts !== undefined,
      madeAtLoad,
    });
    // The most specific rule is last.
    const failing = rules.findLast((rule) => !keepsRule(rule, card, engineVersion));
    if (failing) {
      const other = `remove models.${model.name}.quantization or write another, or ${OTHER_CARDS}`;
      const what = weightsText(kind, failing.method);
      return [broken(model, card, failing, waysOut, { what, otherwise: madeAtLoad ? other : OTHER_CARDS })];
    }
    const typed = rules.find((rule) => !takesDtype(rule, model, format, card));
    return typed ? [amdDtypeRefused(model, card, kind)] : weightNotes(kind, rules, card, engineVersion);
  });
}

function weightsText({ weights }: WeightKind, method: string | undefined): string {
  return method?.startsWith("modelopt") ? `${weights} weights of ModelOpt` : `${weights} weights`;
}

function takesDtype(rule: CardRule, model: ServedModel, { baseDtype }: WeightFormat, card: Card): boolean {
  const only = card.gfx === undefined ? undefined : rowOf(rule, model.engineVersion)?.amdDtype;
  return only === undefined || (dtypeAskedFor(model) ?? baseDtype) === only;
}

function amdDtypeRefused({ name, engineVersion }: ServedModel, card: Card, { weights }: WeightKind): CardVerdict {
  return refused(
    `vLLM ${engineVersion} computes ${weights} weights on ${card.model} in float16 alone`,
    `write models.${name}.args.dtype: half`,
  );
}

function weightNotes(kind: WeightKind, rules: readonly CardRule[], card: Card, version: string): CardVerdict[] {
  const isUnproven = rules.some((rule) => meets(card, rowOf(rule, version) ?? {}) === "unproven");
  if (isUnproven) {
    return [noted(`vLLM has a path for ${kind.weights} weights on ${card.model}, but no source shows it running`)];
  }
  if (kind.native === undefined || card[kind.native]) {
    return [];
  }
  return [noted(`${kind.weights} weights on ${card.model} save memory, not time: it computes them in 16 bits`)];
}

function attentionVerdict(model: ServedModel, card: Card, waysOut: WaysOut): CardVerdict {
  const { layerSpecs, family } = model.architecture;
  const failing = attentionRules.find(
    (rule) => layerSpecs.some(({ mixer }) => mixer.kind === rule.mixer) && !keepsRule(rule, card, model.engineVersion),
  );
  return failing
    ? broken(model, card, failing, waysOut, { what: `the attention of ${family}`, otherwise: OTHER_CARDS })
    : NOTHING_TO_SAY;
}

/**
 * `--dtype auto` uses float16 on cards without bfloat16, and float32 for families that float16
 * breaks.
 */
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

function cacheVerdict(model: ServedModel, card: Card, waysOut: WaysOut): CardVerdict {
  const { name, architecture, engineVersion, kvCacheDtype } = model;
  const dtype = servedCacheDtype({ architecture, engine: { version: engineVersion }, kvCacheDtype });
  const isLatent = architecture.layerSpecs.some(({ mixer }) => mixer.kind === "latent");
  const failing = cacheRules.findLast(
    (rule) => rule.dtype === dtype && (rule.latent === undefined || isLatent) && !keepsRule(rule, card, engineVersion),
  );
  if (failing === undefined) {
    return NOTHING_TO_SAY;
  }
  const key = `models.${name}.vllm.kvCacheDtype`;
  const asked =
    kvCacheDtype === "auto" ? `the ${dtype} KV cache that its checkpoint asks for` : `kvCacheDtype ${dtype}`;
  const otherwise =
    dtype === "fp8" && card.bf16 ? `write ${key}: bfloat16` : kvCacheDtype === "auto" ? OTHER_CARDS : `remove ${key}`;
  return broken(model, card, failing, waysOut, { what: asked, otherwise });
}
