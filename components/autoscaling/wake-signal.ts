import type { ModelEndpoint } from "../serving/endpoint";

/** What only the gateway knows of the demand for a model: its engine's own series are gone while no replica runs, and some engines have none. */

/** PromQL, one element: requests for the model that found no replica, lately. An error, and not 0, where nobody scrapes the gateway. */
export function wakeQuery({ model }: Pick<ModelEndpoint, "model">): string {
  return `sum(envoy_cluster_upstream_cx_none_healthy{envoy_cluster_name=~".*/model-${model}/.*"})`;
}

/** PromQL, one element: requests for the model that are under way at the gateway. */
export function activeRequestsQuery({ model }: Pick<ModelEndpoint, "model">): string {
  return `sum(envoy_cluster_upstream_rq_active{envoy_cluster_name=~".*/model-${model}/.*"})`;
}
