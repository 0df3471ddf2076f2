/** How much a run of the bench measures. */
export interface Extent {
  /** Measurements of each alternative, which take turns within a round: more make medians that one busy moment does not move. */
  readonly comparisons: number;
  /** The same of what is held to a limit, which one busy moment must not decide. */
  readonly verdicts: number;
  /** Measurements of each size. */
  readonly growth: number;
  /** Sizes at which growth is measured: the largest takes longer than all others together. */
  readonly sizes: "all" | "all but the largest";
}

export const USUAL: Extent = { comparisons: 5, verdicts: 5, growth: 1, sizes: "all" };

/** Shows that everything can still be measured; too few rounds to compare times by. */
export const SMALL: Extent = { comparisons: 1, verdicts: 3, growth: 1, sizes: "all but the largest" };

/** @param all from the smallest on */
export function sizesWithin<Size>({ sizes }: Extent, all: readonly Size[]): readonly Size[] {
  return sizes === "all" ? all : all.slice(0, -1);
}
