/**
 * Configuration of a node's Envoy as plain data, read as JSON by `envoy --config-path`. For Envoy
 * 1.40.
 */
import { engineOf } from "../../engines";
import type { ModelPlan } from "../../planner/types";
import { accessLog } from "./access-log";
import { duration, extension, message, socket } from "./envoy-extension";
import { NODE_CLUSTERS, NODE_STAT_PREFIXES } from "./envoy-names";
import { HEALTH_FILTERS, healthRoutes } from "./health-route";
import { inferencePaths } from "./inference-paths";
import { inferenceRoutes, otherRoutes } from "./inference-routes";
import { ADMIN_CLUSTER, ADMIN_INTERFACE, METRICS_LISTENER } from "./metrics-listener";
import { BUFFER_BYTES, NODE_CONNECTIONS, OVERLOAD_MANAGER, SOCKET_OPTIONS } from "./overload";
import { NODE_PORTS } from "./ports";
import { LOCAL_REPLIES } from "./refusals";
import { nodeTracing, tracesCluster } from "./tracing";

export interface NodeTimes {
  /** Timeout of engine health requests, less than the probe's. */
  readonly healthSeconds: number;
  /** Idle seconds, in both directions, until a request is cut. */
  readonly streamIdleSeconds: number;
}

/** The maximum of a gateway's `streamIdleTimeoutSeconds`, so that the gateway cuts first. */
export const NODE_TIMES: NodeTimes = { healthSeconds: 2, streamIdleSeconds: 3600 };

export interface NodeConfigArgs {
  readonly model: Pick<ModelPlan, "engine" | "servedName" | "task" | "node">;
  /** Port of the engine's API in the pod. @default the engine's own */
  readonly enginePort?: number;
  /** @default NODE_TIMES */
  readonly times?: NodeTimes;
}

/** Timeout for a request's headers, at most 60 KiB. As at the gateway. */
const HEAD_SECONDS = 10;

/** Idle timeout of client connections. The gateway closes its own after 3. */
const CLIENT_IDLE_SECONDS = 300;

/**
 * Engines close connections after 5 idle seconds (components/gateway/traffic.ts: `UPSTREAM_IDLE`).
 * Envoy closes first, to lose no request.
 */
const ENGINE_IDLE_SECONDS = 3;

/** Concurrent `/health` requests; more get "unhealthy". */
const HEALTH_REQUESTS = 64;

/** Network devices drop idle connections while a model computes. As at the gateway. */
const KEEPALIVE = { keepalive_probes: 4, keepalive_time: 60, keepalive_interval: 15 } as const;

/** @throws Error for an engine without an API over HTTP. */
export function nodeConfig({ model, enginePort, times = NODE_TIMES }: NodeConfigArgs): object {
  const { ports } = engineOf(model.engine);
  const port = enginePort ?? ports.openai ?? ports["kserve-http"];
  if (port === undefined) {
    throw new Error(`engine ${model.engine} has no API over HTTP`);
  }
  return {
    admin: ADMIN_INTERFACE,
    static_resources: {
      listeners: [nodeListener(model, times), METRICS_LISTENER],
      clusters: [
        engineCluster(NODE_CLUSTERS.engine, port, NODE_CONNECTIONS),
        engineCluster(NODE_CLUSTERS.health, port, HEALTH_REQUESTS),
        ADMIN_CLUSTER,
        ...(model.node?.traces ? [tracesCluster(model.node.traces)] : []),
      ],
    },
    overload_manager: OVERLOAD_MANAGER,
  };
}

function nodeListener(model: NodeConfigArgs["model"], times: NodeTimes): object {
  return {
    name: NODE_STAT_PREFIXES.node,
    address: socket("0.0.0.0", NODE_PORTS.http),
    per_connection_buffer_limit_bytes: BUFFER_BYTES,
    socket_options: SOCKET_OPTIONS,
    tcp_keepalive: KEEPALIVE,
    filter_chains: [
      {
        filters: [
          extension(
            "envoy.filters.network.http_connection_manager",
            "extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
            { ...HOSTILE_PEERS, ...connectionManager(model, times) },
          ),
        ],
      },
    ],
  };
}

/** Peers may be any client in the cluster. */
const HOSTILE_PEERS = {
  // No HTTP/2 without TLS: all clients use HTTP/1.1, which bounds memory to one request per
  // connection.
  codec_type: "HTTP1",
  // Refuses HTTP/1.0, requests without Host, and requests with both chunks and length.
  http_protocol_options: { accept_http_10: false },
  common_http_protocol_options: {
    idle_timeout: duration(CLIENT_IDLE_SECONDS),
    max_headers_count: 100,
    headers_with_underscores_action: "REJECT_REQUEST",
  },
  max_request_headers_kb: 60,
  request_headers_timeout: duration(HEAD_SECONDS),
  normalize_path: true,
  merge_slashes: true,
  path_with_escaped_slashes_action: "REJECT_REQUEST",
  // No address is trusted, so `x-envoy-*` headers for retries or timeouts are removed. With an
  // empty list Envoy would trust loopback, used by a mesh proxy in the pod.
  use_remote_address: true,
  internal_address_config: { cidr_ranges: [{ address_prefix: "255.255.255.255", prefix_len: 32 }] },
  // The gateway's ID, so that both logs match.
  preserve_external_request_id: true,
} as const;

function connectionManager(model: NodeConfigArgs["model"], times: NodeTimes): object {
  const { health } = engineOf(model.engine);
  const paths = inferencePaths(model);
  const { group = "", traces } = model.node ?? {};
  return {
    stat_prefix: NODE_STAT_PREFIXES.node,
    stream_idle_timeout: duration(times.streamIdleSeconds),
    access_log: [accessLog({ group, model: model.servedName }, traces !== undefined)],
    ...(traces && nodeTracing("inference-node", group)),
    local_reply_config: LOCAL_REPLIES,
    http_filters: [
      ...HEALTH_FILTERS,
      extension("envoy.filters.http.router", "extensions.filters.http.router.v3.Router"),
    ],
    route_config: {
      virtual_hosts: [
        {
          name: NODE_STAT_PREFIXES.node,
          domains: ["*"],
          routes: [
            ...healthRoutes({ enginePath: health.ready, timeoutSeconds: times.healthSeconds }),
            ...inferenceRoutes(paths),
            ...otherRoutes(paths),
          ],
        },
      ],
    },
  };
}

/** The only engine of the pod: never ejected, because no other can replace it. */
function engineCluster(name: string, port: number, requests: number): object {
  return {
    name,
    type: "STATIC",
    connect_timeout: "5s",
    upstream_bind_config: { socket_options: SOCKET_OPTIONS },
    per_connection_buffer_limit_bytes: BUFFER_BYTES,
    typed_extension_protocol_options: {
      "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": message(
        "extensions.upstreams.http.v3.HttpProtocolOptions",
        {
          explicit_http_config: { http_protocol_options: {} },
          common_http_protocol_options: { idle_timeout: duration(ENGINE_IDLE_SECONDS) },
        },
      ),
    },
    // Engines queue requests themselves: as many as client connections.
    circuit_breakers: {
      thresholds: [
        { max_connections: requests, max_pending_requests: requests, max_requests: requests, max_retries: 0 },
      ],
    },
    load_assignment: {
      cluster_name: name,
      endpoints: [{ lb_endpoints: [{ endpoint: { address: socket("127.0.0.1", port) } }] }],
    },
  };
}
