/** Smallest, middle and largest of some measurements, in their unit. */
export interface Summary {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** @throws Error for no values: there is nothing to summarize. */
export function summarize(values: readonly number[]): Summary {
  const sorted = [...values].sort((a, b) => a - b);
  const [min] = sorted;
  const max = sorted.at(-1);
  const low = sorted[Math.ceil(sorted.length / 2) - 1];
  const high = sorted[Math.floor(sorted.length / 2)];
  if (min === undefined || max === undefined || low === undefined || high === undefined) {
    throw new Error("no measurements to summarize");
  }
  return { min, median: (low + high) / 2, max };
}

/**
 * How many times as much `values` are as `baseline`: the median over rounds of the ratio within one round, so that a
 * machine that was busy for a while slows both sides of the same ratio.
 *
 * @throws Error when the rounds do not pair up.
 */
export function pairedRatio(values: readonly number[], baseline: readonly number[]): number {
  if (values.length !== baseline.length) {
    throw new Error(`${values.length} measurements cannot be paired with ${baseline.length}`);
  }
  return summarize(values.map((value, round) => value / (baseline[round] ?? Number.NaN))).median;
}
