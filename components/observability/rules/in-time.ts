/** Requests that took longer than a time, by the buckets of a histogram. */
import type { Histogram } from "../../../engines/metrics";

/** @returns a rate as PromQL, of the buckets with these labels. */
type RateOf = (series: string, labels?: string) => string;

/** Exporters write whole numbers with and without a fraction, and Prometheus 3 adds it. */
function bucket(bound: number): string {
  const text = String(bound).replaceAll(".", "\\\\.");
  return `le=~"${Number.isInteger(bound) ? `${text}(\\\\.0)?` : text}"`;
}

/**
 * How many took longer, with what lies within a bucket spread evenly, as `histogram_quantile` does. Above the last bound all that passed it are
 * late: how much later they were is not known.
 */
export function laterThan(seconds: number, { series, bounds }: Histogram, rate: RateOf): string {
  const lower = bounds.findLast((bound) => bound <= seconds);
  const upper = bounds.find((bound) => bound > seconds);
  const below = lower ?? 0;
  const part = upper === undefined ? 0 : (seconds - below) / (upper - below);
  const within = [
    ...(lower === undefined || part === 1 ? [] : [{ bound: lower, weight: 1 - part }]),
    ...(upper === undefined || part === 0 ? [] : [{ bound: upper, weight: part }]),
  ].map(({ bound, weight }) => {
    const inBucket = rate(`${series}_bucket`, bucket(bound));
    return weight === 1 ? inBucket : `${Number(weight.toFixed(6))} * ${inBucket}`;
  });
  return [rate(`${series}_count`), ...within].join(" - ");
}
