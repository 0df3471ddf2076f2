/** Card requirements of each vLLM release: card-rules.json. */
import { type CardNeeds, meets } from "../../catalog/card-needs";
import { isWithin, type ReleaseSpan, spanText } from "../../catalog/engine-releases";
import type { CardAbilities } from "../../catalog/shapes";
import type { Dtype } from "../../planner/model/architecture";
import table from "./card-rules.json";
import { vllmReleases } from "./releases";

export interface CardRow extends ReleaseSpan, CardNeeds {
  /** The only activation type on AMD. */
  readonly amdDtype?: Dtype;
}

/** Releases without a row have no code for the rule's subject. */
export interface CardRule {
  readonly rows: readonly CardRow[];
  readonly source: string;
}

export interface BuildRule extends CardRule {
  readonly vendor: "nvidia" | "amd";
}

export interface WeightRule extends CardRule {
  /** Weight kinds of weight-formats.json. */
  readonly weights: readonly string[];
  /** `quant_method` of config.json. @default any */
  readonly method?: string;
  /** Only for models with experts. */
  readonly experts?: boolean;
  /** For weights quantized at load. */
  readonly madeAtLoad?: boolean;
}

export interface CacheRule extends CardRule {
  readonly dtype: string;
  /** Only for models with latent attention (MLA). */
  readonly latent?: boolean;
}

export interface AttentionRule extends CardRule {
  readonly mixer: string;
}

// Validated by card-rules-schema.ts in test/engines/vllm.
export const buildRules = table.builds as readonly BuildRule[];
export const weightRules = table.weights as readonly WeightRule[];
export const cacheRules = table.kvCache as readonly CacheRule[];
export const attentionRules = table.attention as readonly AttentionRule[];
/** First and last releases read. */
export const cardRulesRead: Required<ReleaseSpan> = table.releases;

/** Whether this exact release was read: others in between are unknown. */
export function hasCardRules(version: string): boolean {
  return vllmReleases.releases.includes(version) && isWithin(cardRulesRead, version);
}

/** Undefined if the release has no code for it. */
export function rowOf({ rows }: CardRule, version: string): CardRow | undefined {
  return rows.find((row) => isWithin(row, version));
}

/** `0.10.1 or newer`: releases with a row. */
export function rowsText({ rows }: CardRule): string {
  return spanText({ since: rows[0]?.since, until: rows.at(-1)?.until });
}

/** Last release with code for a weight kind; undefined if the newest has it. */
export function lastReleaseWith(weights: string): string | undefined {
  const rule = weightRules.find(({ method, ...each }) => method === undefined && each.weights.includes(weights));
  return rule?.rows.at(-1)?.until;
}

export function isGoneIn(weights: string | undefined, version: string): boolean {
  const last = weights === undefined ? undefined : lastReleaseWith(weights);
  return last !== undefined && !isWithin({ until: last }, version);
}

/** Rules of a weight kind that apply to a model. */
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

export function keepsRule(rule: CardRule, card: CardAbilities, version: string): boolean {
  const row = rowOf(rule, version);
  return row !== undefined && meets(card, row) !== "no";
}

/**
 * Last contiguous run of releases in a span with a property; without `until` if it includes the
 * newest.
 */
export function lastRun(span: ReleaseSpan, isSo: (version: string) => boolean): ReleaseSpan | undefined {
  const read = vllmReleases.releases.filter((version) => isWithin(span, version));
  const last = read.findLastIndex(isSo);
  const since = read[read.slice(0, Math.max(0, last)).findLastIndex((version) => !isSo(version)) + 1];
  const until = last === read.length - 1 ? span.until : read[last];
  return last < 0 || since === undefined ? undefined : { since, ...(until !== undefined && { until }) };
}
