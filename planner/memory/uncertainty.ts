/** Error terms of estimates, and the rule that combines them into an interval. */

/** One GPU, GiB: base of the terms' shares. */
export interface MemoryParts {
  readonly weights: number;
  readonly kvCache: number;
  readonly activation: number;
  readonly nonTorch: number;
  /** Only where graphs count against the limit. */
  readonly graphs: number;
}

/** GiB above or below the estimate; both at least 0. */
export interface Interval {
  readonly belowGiB: number;
  readonly aboveGiB: number;
}

/** Distance of a request from measured start-ups. */
export interface Evidence<Traits extends object = object> {
  /** Inputs of the error terms. */
  readonly traits: Traits;
  /** Names for sentences about gaps. */
  readonly names: { readonly [name: string]: string };
}

/** One cause of error, for requests with these traits. */
export interface ErrorTerm<Traits extends object = object> {
  readonly cause: string;
  readonly when: { readonly [Trait in keyof Traits]?: readonly Traits[Trait][] };
  readonly above: ErrorSize;
  readonly below: ErrorSize;
  /** What was not measured, as text; {name} is replaced by the evidence's names. */
  readonly gap?: string;
  readonly source: string;
}

export interface ErrorTable<Traits extends object = object> {
  /** Fraction of a class's start-ups whose need is within the interval. */
  readonly coverage: number;
  /** Below this limit, GiB, flat errors shrink with it. @default they do not */
  readonly flatFromGiB?: number;
  readonly terms: readonly ErrorTerm<Traits>[];
}

export interface Uncertainty {
  readonly terms: readonly Pick<ErrorTerm, "above" | "below">[];
  /** What was measured, or not. */
  readonly basis: string;
  readonly coverage: number;
  readonly flatFromGiB?: number;
}

/** GiB, and shares of parts. */
export type ErrorSize = { readonly gib?: number } & Partial<MemoryParts>;

export function uncertaintyOf<Traits extends object>(
  { coverage, flatFromGiB, terms }: ErrorTable<Traits>,
  { traits, names }: Evidence<Traits>,
): Uncertainty {
  const valid = termsFor(terms, traits);
  return { terms: valid, basis: basisOf(valid, names), coverage, ...(flatFromGiB !== undefined && { flatFromGiB }) };
}

export function termsFor<Traits extends object>(
  terms: readonly ErrorTerm<Traits>[],
  traits: Traits,
): readonly ErrorTerm<Traits>[] {
  return terms.filter(({ when }) =>
    (Object.keys(when) as (keyof Traits)[]).every((trait) => when[trait]?.includes(traits[trait])),
  );
}

/**
 * Causes are independent; one cause affects several parts together.
 *
 * @param limitGiB of the GPU.
 */
export function intervalOf(
  { terms, flatFromGiB = 0 }: Pick<Uncertainty, "terms" | "flatFromGiB">,
  parts: MemoryParts,
  limitGiB: number,
): Interval {
  const flat = Math.min(1, flatFromGiB === 0 ? 1 : limitGiB / flatFromGiB);
  return {
    belowGiB: Math.hypot(...terms.map(({ below }) => sizeGiB(below, parts, flat))),
    aboveGiB: Math.hypot(...terms.map(({ above }) => sizeGiB(above, parts, flat))),
  };
}

const PARTS = [
  "weights",
  "kvCache",
  "activation",
  "nonTorch",
  "graphs",
] as const satisfies readonly (keyof MemoryParts)[];

/** GiB. */
export function totalOf(parts: MemoryParts): number {
  return PARTS.reduce((sum, part) => sum + parts[part], 0);
}

function sizeGiB(size: ErrorSize, parts: MemoryParts, flat: number): number {
  return PARTS.reduce((sum, part) => sum + (size[part] ?? 0) * parts[part], flat * (size.gib ?? 0));
}

/** Gaps in the measurements, or their absence. */
function basisOf(terms: readonly Pick<ErrorTerm, "gap">[], names: Evidence["names"]): string {
  const gaps = terms.flatMap(({ gap }) => gap ?? []);
  const text = gaps.length > 0 ? gaps.join(", ") : "{version} measured on {card}";
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => names[name] ?? whole);
}
