/** Engine metrics by meaning, so that rules and dashboards name no engine. */
import type { Engine, MetricMeaning } from "./engine";
import { ENGINES } from "./table";

/** Series with a meaning, one per engine that reports it. */
export function seriesOf(meaning: MetricMeaning): string[] {
  const engines: readonly Engine[] = Object.values(ENGINES);
  return engines.flatMap(({ metrics }) => metrics?.series[meaning] ?? []);
}

/**
 * Alternatives over all engines' series: `metric("requestsWaiting", (s) => `rate(${s}[5m])`)`. A
 * pod runs one engine, so only one has samples.
 */
export function metric(meaning: MetricMeaning, of: (series: string) => string): string {
  return seriesOf(meaning).map(of).join(" or ");
}

/** p99 request time in milliseconds from summaries: the slowest pod of each model. */
export function summaryP99Ms(series: string): string {
  return `max by (namespace, model) (${series}{quantile="0.99"}) / 1000`;
}

/** Summaries recorded under engine-specific names. */
export function namedSummaries(): { readonly name: string; readonly series: string }[] {
  const engines: readonly Engine[] = Object.values(ENGINES);
  return engines.flatMap(({ metrics }) => {
    const { p99LatencyName: name, series: { latencySummaryMicroseconds: series } = {} } = metrics ?? {};
    return name === undefined || series === undefined ? [] : [{ name, series }];
  });
}

export interface Histogram {
  readonly series: string;
  readonly bounds: readonly number[];
}

/** Histograms with a meaning, of engines with known buckets. */
export function histogramsOf(meaning: MetricMeaning): Histogram[] {
  const engines: readonly Engine[] = Object.values(ENGINES);
  return engines.flatMap(({ metrics }) => {
    const series = metrics?.series[meaning];
    const bounds = metrics?.bounds?.[meaning];
    return series === undefined || bounds === undefined ? [] : [{ series, bounds }];
  });
}
