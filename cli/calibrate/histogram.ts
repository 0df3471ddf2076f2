/** Certain bounds of means and quantiles from Prometheus histograms. Pure. */

export interface Histogram {
  /** Upper bounds, ascending; the last is infinite. */
  readonly bounds: readonly number[];
  /** Per bucket. Fractional where Prometheus extrapolates. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** Bucket of a figure. */
export interface Between {
  readonly low: number;
  readonly high: number;
}

/** Bounds of a quantile; `value` is Prometheus' interpolation in its bucket. */
export interface Quantile extends Between {
  readonly value: number;
}

/** @param cumulative by upper bound. Small decreases by extrapolation count as level. */
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

/** Histograms with equal bounds. */
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

/** Exact, unlike quantiles. NaN without values. */
export function meanOf(histogram: Histogram): number {
  return histogram.sum / countOf(histogram);
}

/** @param part 0 to 1. Undefined without values. */
export function quantileOf({ bounds, counts }: Histogram, part: number): Quantile | undefined {
  const rank = part * total(counts);
  let below = 0;
  for (const [i, count] of counts.entries()) {
    // Sums of fractions miss whole numbers slightly.
    if (count > 0 && below + count >= rank - 1e-9) {
      const [low, high] = [bounds[i - 1] ?? 0, bounds[i] ?? Number.POSITIVE_INFINITY];
      return { low, high, value: low + (high - low) * Math.max(0, Math.min(1, (rank - below) / count)) };
    }
    below += count;
  }
  return undefined;
}

/**
 * The value in the median's bucket nearest to the mean: buckets are wide, the mean is exact, and
 * both are close for one load. Undefined without values or an upper bound.
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
