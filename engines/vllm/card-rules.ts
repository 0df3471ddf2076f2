/** What each release of vLLM asks of a card: card-rules.json. */
import { type CardNeeds, meets } from "../../catalog/card-needs";
import { isWithin, type ReleaseSpan, spanText } from "../../catalog/engine-releases";
import type { CardAbilities } from "../../catalog/shapes";
import type { Dtype } from "../../planner/model/architecture";
import table from "./card-rules.json";
import { vllmReleases } from "./releases";

/** What the releases of a span ask for. */
export interface CardRow extends ReleaseSpan, CardNeeds {
  /** On AMD: the one type of activations. */
  readonly amdDtype?: Dtype;
}

/** Releases that no row holds have no code for what the rule is of. */
export interface CardRule {
  readonly rows: readonly CardRow[];
  readonly source: string;
}

export interface BuildRule extends CardRule {
  readonly vendor: "nvidia" | "amd";
}

export interface WeightRule extends CardRule {
  /** Kinds of weights, as in weight-formats.json. */
  readonly weights: readonly string[];
  /** `quant_method` of config.json. @default whatever it is */
  readonly method?: string;
  /** Holds for models with experts alone. */
  readonly experts?: boolean;
  /** Holds for weights that vLLM quantizes when it loads them. */
  readonly madeAtLoad?: boolean;
}

export interface CacheRule extends CardRule {
  readonly dtype: string;
  /** Holds for models with latent attention (MLA) alone. */
  readonly latent?: boolean;
}

export interface AttentionRule extends CardRule {
  /** Kind of the layer's mixer. */
  readonly mixer: string;
}

// Checked against card-rules-schema.ts by test/engines/vllm.
export const buildRules = table.builds as readonly BuildRule[];
export const weightRules = table.weights as readonly WeightRule[];
export const cacheRules = table.kvCache as readonly CacheRule[];
export const attentionRules = table.attention as readonly AttentionRule[];
/** First and last of the releases that were read. */
export const cardRulesRead: Required<ReleaseSpan> = table.releases;

/** Whether this very release was read: nothing is known of one between two that were. */
export function hasCardRules(version: string): boolean {
  return vllmReleases.releases.includes(version) && isWithin(cardRulesRead, version);
}

/** Undefined where the release has no code for it. */
export function rowOf({ rows }: CardRule, version: string): CardRow | undefined {
  return rows.find((row) => isWithin(row, version));
}

/** `0.10.1 or newer`: releases with a row. */
export function rowsText({ rows }: CardRule): string {
  return spanText({ since: rows[0]?.since, until: rows.at(-1)?.until });
}

/** The last release with code for a kind of weights; undefined where the newest has it. */
export function lastReleaseWith(weights: string): string | undefined {
  const rule = weightRules.find(({ method, ...each }) => method === undefined && each.weights.includes(weights));
  return rule?.rows.at(-1)?.until;
}

/** Whether a release has no code for a kind of weights any more. */
export function isGoneIn(weights: string | undefined, version: string): boolean {
  const last = weights === undefined ? undefined : lastReleaseWith(weights);
  return last !== undefined && !isWithin({ until: last }, version);
}

/** Rules of the kind of weights that hold for a model. */
export function weightRulesFor(
  weights: string,
  { method, ...has }: { readonly method?: string; readonly experts: boolean; readonly madeAtLoad: boolean },
): WeightRule[] {
  return weightRules.filter(
    (rule) =>
      rule.weights.includes(weights) &&
      (rule.method === undefined || rule.method === method) &&
      (rule.experts === undefined || has.experts) &&
      (rule.madeAtLoad === undefined || has.madeAtLoad),
  );
}

/** Whether a release keeps a rule for a card. */
export function keepsRule(rule: CardRule, card: CardAbilities, version: string): boolean {
  const row = rowOf(rule, version);
  return row !== undefined && meets(card, row) !== "no";
}

/** The last run of releases within a span of which something is so; without `until` where the newest is one. */
export function lastRun(span: ReleaseSpan, isSo: (version: string) => boolean): ReleaseSpan | undefined {
  const read = vllmReleases.releases.filter((version) => isWithin(span, version));
  const last = read.findLastIndex(isSo);
  const since = read[read.slice(0, Math.max(0, last)).findLastIndex((version) => !isSo(version)) + 1];
  const until = last === read.length - 1 ? span.until : read[last];
  return last < 0 || since === undefined ? undefined : { since, ...(until !== undefined && { until }) };
}
