/** Names in a node's Envoy, used by metrics, dashboards, alerts and log queries. */

/** Label `envoy_http_conn_manager_prefix` of `envoy_http_*` series. */
export const NODE_STAT_PREFIXES = {
  /** Client requests. */
  node: "node",
  /** Metric scrapes. */
  metrics: "metrics",
} as const;

/** Label `envoy_cluster_name` of `envoy_cluster_*` series: the engine's traffic by kind. */
export const NODE_CLUSTERS = {
  /** Inference only: durations and status codes of answers. */
  engine: "engine",
  /** `/health` requests, with separate limits so that a full engine still gets them. */
  health: "engine_health",
  /** Envoy's admin interface, for its metrics. */
  admin: "admin",
} as const;

/** Cluster that receives spans, with the tracing add-on. */
export const TRACES_CLUSTER = "traces";

/** Headers that identify the request's owner, from callers and to engines. */
export const NODE_HEADERS = {
  tenant: { from: "x-octopus-tenant-id", to: "x-tenant-id" },
  correlation: { from: "x-octopus-correlation-id", to: "x-correlation-id" },
  /**
   * Consumer identified by the gateway (components/gateway/names.ts); trusted, because only the
   * gateway may connect.
   */
  consumer: "x-consumer-id",
} as const;

/** Credential headers, removed by the node: engines need none. */
export const CREDENTIALS = ["authorization", "proxy-authorization", "x-api-key", "cookie"] as const;

/** `Host` header for engines, replacing the client's: Ollama on loopback refuses unknown names. */
export const ENGINE_HOST = "localhost";
