/** How far an estimate can be off: error terms by cause, and the rule that makes one interval of them. */
import table from "../../engines/vllm/memory/error-terms.json";
import type { Evidence, EvidenceTraits } from "../../engines/vllm/memory/evidence";

/** Memory of one GPU by part, GiB: what the terms take shares of. */
export interface MemoryParts {
  readonly weights: number;
  readonly kvCache: number;
  readonly activation: number;
  readonly nonTorch: number;
  /** Only where graphs count against the limit. */
  readonly graphs: number;
}

/** What the need may exceed the estimate by, or stay under it, GiB; both at least 0. */
export interface Interval {
  readonly belowGiB: number;
  readonly aboveGiB: number;
}

/** One cause of error. */
export interface ErrorTerm {
  readonly cause: string;
  readonly when: { readonly [Trait in keyof EvidenceTraits]?: readonly EvidenceTraits[Trait][] };
  readonly above: ErrorSize;
  readonly below: ErrorSize;
  /** What was not measured, for sentences: {version}, {card}, {layout} and {format} are filled in. */
  readonly gap?: string;
  /** Where the figures come from. */
  readonly source: string;
}

/** GiB, and shares of parts. */
export type ErrorSize = { readonly gib?: number } & Partial<MemoryParts>;

/** Part of the start-ups of a class whose need lies within the interval. */
export const coverage: number = table.coverage;

export const errorTerms = table.terms as readonly ErrorTerm[];

/** The terms that hold for what is known of a request. */
export function termsFor({ traits }: Evidence): readonly ErrorTerm[] {
  return errorTerms.filter(({ when }) =>
    Object.entries(when).every(([trait, values]) =>
      (values as readonly string[]).includes(traits[trait as keyof EvidenceTraits]),
    ),
  );
}

/** Causes are independent of each other; what one cause does to several parts, it does at once. */
export function intervalOf(terms: readonly ErrorTerm[], parts: MemoryParts): Interval {
  return {
    belowGiB: Math.hypot(...terms.map(({ below }) => sizeGiB(below, parts))),
    aboveGiB: Math.hypot(...terms.map(({ above }) => sizeGiB(above, parts))),
  };
}

function sizeGiB({ gib = 0, ...shares }: ErrorSize, parts: MemoryParts): number {
  return Object.entries(shares).reduce((sum, [part, share]) => sum + share * parts[part as keyof MemoryParts], gib);
}

/** What the interval rests on: the gaps in what was measured, or that there are none. */
export function basisOf(terms: readonly ErrorTerm[], { names }: Evidence): string {
  const gaps = terms.flatMap(({ gap }) => gap ?? []);
  const text = gaps.length > 0 ? gaps.join(", ") : "{version} measured on {card}";
  return text.replace(/\{(\w+)\}/g, (_, name: keyof Evidence["names"]) => names[name]);
}
