/** Queries of several dashboards, each of which defines `$model`. */
import type { MetricMeaning } from "../../../engines";
import { metric } from "../../../engines/metrics";
import { type GATEWAY_TIMES, gatewayBuckets } from "../../../names/gateway-times";
import type { PanelSpec, Query } from "./spec";

export const CHOSEN = '{model=~"$model"}';

export function chosen(meaning: MetricMeaning): string {
  return metric(meaning, (series) => `${series}${CHOSEN}`);
}

export function rate(meaning: MetricMeaning, suffix = ""): string {
  return metric(meaning, (series) => `rate(${series}${suffix}${CHOSEN}[$__rate_interval])`);
}

/**
 * Median and 95th percentile per model, by the engine's histogram or else the gateway's. @param
 * promised series of what the plan promises, in seconds
 */
export function latency(
  title: string,
  description: string,
  histogram: MetricMeaning,
  time: keyof typeof GATEWAY_TIMES,
  promised: string,
): Pick<PanelSpec, "title" | "description" | "unit" | "queries"> {
  const quantile = (q: number): Query => ({
    expr: `histogram_quantile(${q}, sum by (model, le) (${rate(histogram, "_bucket")})) or histogram_quantile(${q}, ${gatewayBuckets(time, "$__rate_interval", CHOSEN)})`,
    legend: `{{model}} p${q * 100}`,
  });
  const promise: Query = { expr: `${promised}${CHOSEN}`, legend: "{{model}} promised, p{{percentile}}" };
  return { title, description, unit: "s", queries: [quantile(0.5), quantile(0.95), promise] };
}

const CLIENTS = 'envoy_http_conn_manager_prefix=~"https?-[0-9]+"';

export function answers(more = ""): string {
  return `rate(envoy_http_downstream_rq_xx{${CLIENTS}${more}}[$__rate_interval])`;
}

export const REQUESTS: PanelSpec = {
  title: "Requests",
  description: "Requests per second at the gateway, by class of answer.",
  unit: "reqps",
  queries: [{ expr: `sum by (envoy_response_code_class) (${answers()})`, legend: "{{envoy_response_code_class}}xx" }],
};
