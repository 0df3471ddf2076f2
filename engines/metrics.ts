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
