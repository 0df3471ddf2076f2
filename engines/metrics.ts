/** What engines report of themselves, by meaning: rules and dashboards name no engine and none of its series. */
import type { Engine, MetricMeaning } from "./engine";
import { ENGINES } from "./table";

/** Names of the series that say the same thing, one for each engine that reports it. */
export function seriesOf(meaning: MetricMeaning): string[] {
  const engines: readonly Engine[] = Object.values(ENGINES);
  return engines.flatMap(({ metrics }) => metrics?.series[meaning] ?? []);
}

/**
 * The expression over whichever engine's series a pod has: `metric("requestsWaiting", (s) => `rate(${s}[5m])`)`.
 * A pod runs one engine, so that of the alternatives one has samples.
 */
export function metric(meaning: MetricMeaning, of: (series: string) => string): string {
  return seriesOf(meaning).map(of).join(" or ");
}

/** The 99th percentile of a request's time in milliseconds, of engines that report summaries: of the slowest pod of each model. */
export function summaryP99Ms(series: string): string {
  return `max by (namespace, model) (${series}{quantile="0.99"}) / 1000`;
}

/** Summaries of single engines that are recorded under names of their own. */
export function namedSummaries(): { readonly name: string; readonly series: string }[] {
  const engines: readonly Engine[] = Object.values(ENGINES);
  return engines.flatMap(({ metrics }) => {
    const { p99LatencyName: name, series: { latencySummaryMicroseconds: series } = {} } = metrics ?? {};
    return name === undefined || series === undefined ? [] : [{ name, series }];
  });
}

/** A histogram of seconds, and the upper bounds of its buckets. */
export interface Histogram {
  readonly series: string;
  readonly bounds: readonly number[];
}

/** Histograms that say the same thing, of the engines whose buckets are known. */
export function histogramsOf(meaning: MetricMeaning): Histogram[] {
  const engines: readonly Engine[] = Object.values(ENGINES);
  return engines.flatMap(({ metrics }) => {
    const series = metrics?.series[meaning];
    const bounds = metrics?.bounds?.[meaning];
    return series === undefined || bounds === undefined ? [] : [{ series, bounds }];
  });
}
