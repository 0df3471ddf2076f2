/** Names that a node's Envoy gives to its parts: series, dashboards, alerts and log queries are written against them. */

/** Label `envoy_http_conn_manager_prefix` of `envoy_http_*` series. */
export const NODE_STAT_PREFIXES = {
  /** Of what clients ask. */
  node: "node",
  /** Of who reads the series. */
  metrics: "metrics",
} as const;

/** Label `envoy_cluster_name` of `envoy_cluster_*` series: one engine, counted apart by what it is asked. */
export const NODE_CLUSTERS = {
  /** Inference alone: times and codes of this one are those of answers. */
  engine: "engine",
  /** What `/health` asks. With limits of its own, so that a full engine is asked too. */
  health: "engine_health",
  /** Envoy's own admin interface, for its series. */
  admin: "admin",
} as const;

/** The cluster that spans are reported to, with the add-on tracing. */
export const TRACES_CLUSTER = "traces";

/** Headers in which callers say whose request it is, and what engines get in their place. */
export const NODE_HEADERS = {
  tenant: { from: "x-octopus-tenant-id", to: "x-tenant-id" },
  correlation: { from: "x-octopus-correlation-id", to: "x-correlation-id" },
  /** Who the gateway found to be calling (components/gateway/names.ts); a node believes it, for the gateway alone may connect. */
  consumer: "x-consumer-id",
} as const;

/** Headers with keys, which end at the node: no engine asks for one. */
export const CREDENTIALS = ["authorization", "proxy-authorization", "x-api-key", "cookie"] as const;

/** What engines are asked for as `Host`, whatever clients say: Ollama refuses names that it does not know where it listens on loopback alone. */
export const ENGINE_HOST = "localhost";
