/** Requests slower than a time, by histogram buckets. */
import type { Histogram } from "../../../engines/metrics";

/** Rate as PromQL of the buckets with these labels. */
type RateOf = (series: string, labels?: string) => string;

/** Exporters write whole numbers with or without a fraction; Prometheus 3 adds one. */
function bucket(bound: number): string {
  const text = String(bound).replaceAll(".", "\\\\.");
  return `le=~"${Number.isInteger(bound) ? `${text}(\\\\.0)?` : text}"`;
}

/** Interpolates within a bucket like `histogram_quantile`; above the last bound all are late. */
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
