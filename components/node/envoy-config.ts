/** The configuration of a node's Envoy, as plain data: `envoy --config-path` reads it as JSON. Written against Envoy 1.40. */
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
  /** Seconds in which an engine must say how it is; less than a probe waits. */
  readonly healthSeconds: number;
  /** Seconds without a byte in either direction after which a request is cut. */
  readonly streamIdleSeconds: number;
}

/** An hour is the most that a gateway's `streamIdleTimeoutSeconds` can be: it is the gateway that cuts. */
export const NODE_TIMES: NodeTimes = { healthSeconds: 2, streamIdleSeconds: 3600 };

export interface NodeConfigArgs {
  readonly model: Pick<ModelPlan, "engine" | "servedName" | "task" | "node">;
  /** Port of the engine's API in the pod. @default the engine's own */
  readonly enginePort?: number;
  /** @default NODE_TIMES */
  readonly times?: NodeTimes;
}

/** Seconds until a client has sent the head of its request: 60 KiB at most. As at the gateway. */
const HEAD_SECONDS = 10;

/** Seconds for which clients may keep a connection that they do not use. The gateway closes its own after 3. */
const CLIENT_IDLE_SECONDS = 300;

/**
 * Engines close connections that were idle for 5 s (components/gateway/traffic.ts: `UPSTREAM_IDLE`). A request that is on its way just then is lost, so
 * Envoy closes first.
 */
const ENGINE_IDLE_SECONDS = 3;

/** Requests of `/health` that are open at a time; more of them are told "unhealthy". */
const HEALTH_REQUESTS = 64;

/** What only passes connections on forgets idle ones; a model may think for longer. As at the gateway. */
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

/** Whoever connects may be anybody in the cluster who found a way. */
const HOSTILE_PEERS = {
  // No HTTP/2 without TLS: gateway, probes and clients speak HTTP/1.1, and one connection is then one request of memory.
  codec_type: "HTTP1",
  // HTTP/1.0 and requests without a Host are refused, chunks and lengths together too.
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
  // Nobody's address makes them trusted, so `x-envoy-*` headers that ask for retries or other timeouts are removed from every request. With no network
  // at all Envoy would trust loopback, from which a mesh's proxy in the pod connects.
  use_remote_address: true,
  internal_address_config: { cidr_ranges: [{ address_prefix: "255.255.255.255", prefix_len: 32 }] },
  // The gateway's: one request has one name in both logs.
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

/** The one engine of the pod. Nobody stands in for it, so nothing ejects it. */
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
    // An engine queues on its own, and says so: as many as there may be clients.
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
