/** The public paths of Envoy's admin interface: metrics and liveness. */
import { extension, methodIs, socket } from "./envoy-extension";
import { NODE_CLUSTERS, NODE_STAT_PREFIXES } from "./envoy-names";
import { NODE_ALIVE_PATH, NODE_METRICS_PATH, NODE_PORTS } from "./ports";

/**
 * An abstract Unix socket (unix(7)): no pod port, no writable folder. Processes in the pod can
 * still connect, so no other paths are allowed (Envoy 1.40, `Admin.allow_paths`), such as
 * `/quitquitquit` or `/config_dump`.
 */
const ADMIN = { pipe: { path: "@inference-node-admin" } } as const;

const PATHS = [NODE_METRICS_PATH, NODE_ALIVE_PATH] as const;

export const ADMIN_INTERFACE = {
  address: ADMIN,
  // With optional query from scrapers.
  allow_paths: PATHS.map((path) => ({ safe_regex: { regex: `${path}(\\?.*)?` } })),
} as const;

/** Connection limit of scrapers and probes, separate from clients'. */
const CONNECTIONS = 64;

export const METRICS_LISTENER = {
  name: NODE_STAT_PREFIXES.metrics,
  address: socket("0.0.0.0", NODE_PORTS.metrics),
  // Metrics must stay available when clients exhaust the global limit.
  ignore_global_conn_limit: true,
  filter_chains: [
    {
      filters: [
        extension(
          "envoy.filters.network.connection_limit",
          "extensions.filters.network.connection_limit.v3.ConnectionLimit",
          { stat_prefix: NODE_STAT_PREFIXES.metrics, max_connections: CONNECTIONS },
        ),
        extension(
          "envoy.filters.network.http_connection_manager",
          "extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
          {
            stat_prefix: NODE_STAT_PREFIXES.metrics,
            codec_type: "HTTP1",
            request_headers_timeout: "10s",
            stream_idle_timeout: "30s",
            common_http_protocol_options: { idle_timeout: "300s" },
            normalize_path: true,
            http_filters: [extension("envoy.filters.http.router", "extensions.filters.http.router.v3.Router")],
            route_config: {
              virtual_hosts: [
                {
                  name: NODE_STAT_PREFIXES.metrics,
                  domains: ["*"],
                  routes: PATHS.map((path) => ({
                    match: { path, headers: [methodIs("GET")] },
                    route: { cluster: NODE_CLUSTERS.admin, timeout: "15s" },
                  })),
                },
              ],
            },
          },
        ),
      ],
    },
  ],
} as const;

export const ADMIN_CLUSTER = {
  name: NODE_CLUSTERS.admin,
  type: "STATIC",
  load_assignment: {
    cluster_name: NODE_CLUSTERS.admin,
    endpoints: [{ lb_endpoints: [{ endpoint: { address: ADMIN } }] }],
  },
} as const;
