/** How far an estimate can be off: error terms by cause, and the rule that makes one interval of them. */

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

/** How near a request is to what start-ups have shown. */
export interface Evidence<Traits extends object = object> {
  /** What the error terms ask for. */
  readonly traits: Traits;
  /** Names for sentences about the gaps. */
  readonly names: { readonly [name: string]: string };
}

/** One cause of error, for requests with these traits. */
export interface ErrorTerm<Traits extends object = object> {
  readonly cause: string;
  readonly when: { readonly [Trait in keyof Traits]?: readonly Traits[Trait][] };
  readonly above: ErrorSize;
  readonly below: ErrorSize;
  /** What was not measured, for sentences: names of the evidence are filled in for {name}. */
  readonly gap?: string;
  /** Where the figures come from. */
  readonly source: string;
}

/** What one engine's estimates can be off by. */
export interface ErrorTable<Traits extends object = object> {
  /** Part of the start-ups of a class whose need lies within the interval. */
  readonly coverage: number;
  /** On GPUs whose limit is lower, flat errors shrink with it, GiB. @default they do not */
  readonly flatFromGiB?: number;
  readonly terms: readonly ErrorTerm<Traits>[];
}

/** What can be said of one estimate. */
export interface Uncertainty {
  readonly terms: readonly Pick<ErrorTerm, "above" | "below">[];
  /** What was measured, or what was not. */
  readonly basis: string;
  readonly coverage: number;
  readonly flatFromGiB?: number;
}

/** GiB, and shares of parts. */
export type ErrorSize = { readonly gib?: number } & Partial<MemoryParts>;

/** The terms that hold for what is known of a request, and what they rest on. */
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
 * Causes are independent of each other; what one cause does to several parts, it does at once.
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

/** All parts together, GiB. */
export function totalOf(parts: MemoryParts): number {
  return PARTS.reduce((sum, part) => sum + parts[part], 0);
}

function sizeGiB(size: ErrorSize, parts: MemoryParts, flat: number): number {
  return PARTS.reduce((sum, part) => sum + (size[part] ?? 0) * parts[part], flat * (size.gib ?? 0));
}

/** What the interval rests on: the gaps in what was measured, or that there are none. */
function basisOf(terms: readonly Pick<ErrorTerm, "gap">[], names: Evidence["names"]): string {
  const gaps = terms.flatMap(({ gap }) => gap ?? []);
  const text = gaps.length > 0 ? gaps.join(", ") : "{version} measured on {card}";
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => names[name] ?? whole);
}
