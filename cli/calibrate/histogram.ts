/** Histograms of Prometheus: what is certain of a mean and of a quantile. Pure. */

export interface Histogram {
  /** Upper bounds, rising; the last is infinite. */
  readonly bounds: readonly number[];
  /** In each bucket alone. Not whole where Prometheus extrapolates. */
  readonly counts: readonly number[];
  /** Of all values. */
  readonly sum: number;
}

/** The bucket that a figure lies in. */
export interface Between {
  readonly low: number;
  readonly high: number;
}

/** A quantile lies between these; as `value` Prometheus would give it, its bucket taken as evenly filled. */
export interface Quantile extends Between {
  readonly value: number;
}

/** @param cumulative by upper bound. Extrapolated ones may fall by a fraction: they are taken as level. */
export function histogramOf(cumulative: ReadonlyMap<number, number>, sum: number): Histogram {
  const bounds = [...cumulative.keys()].sort((a, b) => a - b);
  let reached = 0;
  const counts = bounds.map((bound) => {
    const before = reached;
    reached = Math.max(reached, cumulative.get(bound) ?? 0);
    return reached - before;
  });
  return { bounds, counts, sum: Math.max(0, sum) };
}

/** Of histograms with the same bounds. */
export function added(histograms: readonly Histogram[]): Histogram {
  const [first] = histograms;
  return {
    bounds: first?.bounds ?? [],
    counts: (first?.counts ?? []).map((_, i) => total(histograms.map(({ counts }) => counts[i] ?? 0))),
    sum: total(histograms.map(({ sum }) => sum)),
  };
}

export function countOf({ counts }: Histogram): number {
  return total(counts);
}

/** Exact, unlike quantiles. NaN where there is no value. */
export function meanOf(histogram: Histogram): number {
  return histogram.sum / countOf(histogram);
}

/** @param part 0 to 1. Undefined where there is no value. */
export function quantileOf({ bounds, counts }: Histogram, part: number): Quantile | undefined {
  const rank = part * total(counts);
  let below = 0;
  for (const [i, count] of counts.entries()) {
    // Sums of fractions miss whole numbers by a little.
    if (count > 0 && below + count >= rank - 1e-9) {
      const [low, high] = [bounds[i - 1] ?? 0, bounds[i] ?? Number.POSITIVE_INFINITY];
      return { low, high, value: low + (high - low) * Math.max(0, Math.min(1, (rank - below) / count)) };
    }
    below += count;
  }
  return undefined;
}

/**
 * The value of the median's bucket that is nearest to the mean: buckets are wide, the mean is exact, and the two of one load are close.
 * Undefined where there is no value, and where the bucket has no upper bound.
 */
export function medianOf(histogram: Histogram): { readonly value: number; readonly error: number } | undefined {
  const bucket = quantileOf(histogram, 0.5);
  if (bucket === undefined || bucket.high === Number.POSITIVE_INFINITY) {
    return undefined;
  }
  const { low, high } = bucket;
  const value = Math.min(high, Math.max(low, meanOf(histogram)));
  return value > 0 ? { value, error: Math.max(value - low, high - value) / value } : undefined;
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
