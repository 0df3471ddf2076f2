import type { IssuedCertificate } from "../../../rehearsal/cluster/authority";
import type { RenderedGateway, RenderedListener } from "./rendered-gateway";

/** Addresses of the loopback interface, in place of those in the cluster. */
export interface Ports {
  readonly admin: number;
  /** By port of the Gateway's listeners. */
  readonly listeners: Readonly<Record<number, number>>;
  /** Behind each listener, by its name. */
  readonly backends: Readonly<Record<string, number>>;
}

const TYPE = "type.googleapis.com/envoy";

/** Envoy Gateway's defaults where a policy is silent (internal/xds/translator, v1.9.0). */
const DEFAULTS = { connectionBuffer: 32_768, streams: 100, streamWindow: 65_536, connectionWindow: 1_048_576 };

/**
 * Envoy's configuration for a rendered Gateway, by the rules of Envoy Gateway 1.9.0 (internal/xds/translator: listener.go,
 * httpfilters.go, request_buffer.go, api_key_auth.go; internal/xds/bootstrap): one Envoy listener per port with the
 * buffer limit of the first Gateway listener there, a filter chain per hostname, API keys before the body is buffered, both
 * switched on by the route. The numbers are those of the rendered policies. The AI gateway's filter is not here: it
 * comes after these two, and only where a key was right.
 */
export function envoyConfig(gateway: RenderedGateway, ports: Ports, certificate: IssuedCertificate): object {
  const listeners = gateway.listeners.filter(({ port }) => port === 443);
  return {
    admin: { address: address(ports.admin) },
    static_resources: {
      listeners: [
        {
          name: "tcp-443",
          address: address(ports.listeners[443]),
          per_connection_buffer_limit_bytes: listeners[0]?.client?.connection.bufferLimit ?? DEFAULTS.connectionBuffer,
          listener_filters: [
            filter("envoy.filters.listener.tls_inspector", "extensions.filters.listener.tls_inspector.v3.TlsInspector"),
          ],
          filter_chains: listeners.map((listener) => filterChain(listener, gateway, certificate)),
        },
      ],
      clusters: listeners.map((listener) => cluster(listener, ports.backends[listener.name])),
    },
    // The bootstrap's overload manager: 80 % of the container's limit is heap.
    overload_manager: {
      refresh_interval: "0.25s",
      resource_monitors: [
        filter("envoy.resource_monitors.fixed_heap", "extensions.resource_monitors.fixed_heap.v3.FixedHeapConfig", {
          max_heap_size_bytes: Math.floor(gateway.memoryBytes * 0.8),
        }),
      ],
      actions: [
        overload("envoy.overload_actions.shrink_heap", 0.95),
        overload("envoy.overload_actions.stop_accepting_requests", 0.98),
      ],
    },
  };
}

function filterChain(listener: RenderedListener, gateway: RenderedGateway, certificate: IssuedCertificate): object {
  const { name, hostname, client } = listener;
  const limit = client?.connection.connectionLimit?.value;
  const pem = (text: string) => ({ inline_string: text });
  return {
    name,
    filter_chain_match: { server_names: [hostname] },
    filters: [
      ...(limit === undefined
        ? []
        : [
            filter(
              "envoy.filters.network.connection_limit",
              "extensions.filters.network.connection_limit.v3.ConnectionLimit",
              { stat_prefix: name, max_connections: limit },
            ),
          ]),
      filter(
        "envoy.filters.network.http_connection_manager",
        "extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
        connectionManager(listener, gateway),
      ),
    ],
    transport_socket: filter(
      "envoy.transport_sockets.tls",
      "extensions.transport_sockets.tls.v3.DownstreamTlsContext",
      {
        common_tls_context: {
          alpn_protocols: ["h2", "http/1.1"],
          tls_certificates: [
            { certificate_chain: pem(certificate["tls.crt"]), private_key: pem(certificate["tls.key"]) },
          ],
        },
      },
    ),
  };
}

function connectionManager({ name, client, backend, keyHeaders }: RenderedListener, { keys }: RenderedGateway): object {
  const { http } = client?.timeout ?? {};
  const credentials = Object.entries(keys).map(([consumer, key]) => ({ client: consumer, key }));
  const authentication = { credentials, key_sources: keyHeaders?.map((header) => ({ header })) };
  const limit = backend?.requestBuffer?.limit;
  return {
    stat_prefix: name,
    use_remote_address: true,
    ...(http && { request_timeout: http.requestReceivedTimeout }),
    ...(http?.streamIdleTimeout !== undefined && { stream_idle_timeout: http.streamIdleTimeout }),
    common_http_protocol_options: { ...(http?.idleTimeout !== undefined && { idle_timeout: http.idleTimeout }) },
    http2_protocol_options: {
      max_concurrent_streams: client?.http2?.maxConcurrentStreams ?? DEFAULTS.streams,
      initial_stream_window_size: client?.http2?.initialStreamWindowSize ?? DEFAULTS.streamWindow,
      initial_connection_window_size: client?.http2?.initialConnectionWindowSize ?? DEFAULTS.connectionWindow,
    },
    http_filters: [
      ...(keyHeaders === undefined
        ? []
        : [
            {
              ...filter("envoy.filters.http.api_key_auth", "extensions.filters.http.api_key_auth.v3.ApiKeyAuth", {
                credentials,
              }),
              disabled: true,
            },
          ]),
      ...(limit === undefined
        ? []
        : [
            {
              ...filter("envoy.filters.http.buffer", "extensions.filters.http.buffer.v3.Buffer", {
                max_request_bytes: limit,
              }),
              disabled: true,
            },
          ]),
      filter("envoy.filters.http.router", "extensions.filters.http.router.v3.Router"),
    ],
    route_config: {
      virtual_hosts: [
        {
          name,
          domains: ["*"],
          routes: [
            {
              match: { prefix: "/" },
              route: {
                cluster: name,
                timeout: "3600s",
                ...(backend?.retry && {
                  retry_policy: {
                    retry_on: backend.retry.retryOn.triggers.join(","),
                    num_retries: backend.retry.numRetries,
                    retriable_status_codes: backend.retry.retryOn.httpStatusCodes,
                  },
                }),
              },
              typed_per_filter_config: {
                ...(keyHeaders && {
                  "envoy.filters.http.api_key_auth": {
                    "@type": `${TYPE}.extensions.filters.http.api_key_auth.v3.ApiKeyAuthPerRoute`,
                    ...authentication,
                  },
                }),
                ...(limit !== undefined && {
                  "envoy.filters.http.buffer": {
                    "@type": `${TYPE}.extensions.filters.http.buffer.v3.BufferPerRoute`,
                    buffer: { max_request_bytes: limit },
                  },
                }),
              },
            },
          ],
        },
      ],
    },
  };
}

function cluster({ name, backend }: RenderedListener, port: number | undefined): object {
  const breaker = backend?.circuitBreaker;
  return {
    name,
    type: "STATIC",
    per_connection_buffer_limit_bytes: DEFAULTS.connectionBuffer,
    ...(breaker && {
      circuit_breakers: {
        thresholds: [
          {
            max_connections: breaker.maxConnections,
            max_pending_requests: breaker.maxPendingRequests,
            max_requests: breaker.maxParallelRequests,
          },
        ],
      },
    }),
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint: { address: address(port) } }] }] },
  };
}

function address(port: number | undefined): object {
  if (port === undefined) {
    throw new Error("no port of the loopback interface is given");
  }
  return { socket_address: { address: "127.0.0.1", port_value: port } };
}

function filter(name: string, type: string, config: object = {}): object {
  return { name, typed_config: { "@type": `${TYPE}.${type}`, ...config } };
}

function overload(name: string, value: number): object {
  return { name, triggers: [{ name: "envoy.resource_monitors.fixed_heap", threshold: { value } }] };
}
