/** Span reporting of a node's Envoy. For Envoy 1.40. */
import type { TraceReceiver } from "../../names/trace-receiver";
import { duration, extension, message, socket } from "./envoy-extension";
import { NODE_HEADERS, TRACES_CLUSTER } from "./envoy-names";

/** Without the query, as in the log. */
const PATH = "%PATH(NQ:ORIG_OR_PATH):256%";

/** Samples only requests of an existing trace, usually the gateway's. Excludes probes. */
const SAMPLER = extension(
  "envoy.tracers.opentelemetry.samplers.parent_based",
  "extensions.tracers.opentelemetry.samplers.v3.ParentBasedSamplerConfig",
  {
    wrapped_sampler: extension(
      "envoy.tracers.opentelemetry.samplers.trace_id_ratio_based",
      "extensions.tracers.opentelemetry.samplers.v3.TraceIdRatioBasedSamplerConfig",
      { sampling_percentage: { numerator: 0 } },
    ),
  },
);

/** Report timeout in seconds: no request waits for it. */
const REPORT_SECONDS = 5;

/**
 * Tracing of the connection manager: continues the gateway's trace. Tags replace Envoy's, which
 * contain query and user agent; an empty tag would not.
 *
 * @param service name in spans.
 */
export function nodeTracing(service: string, group: string): object {
  const tags = {
    "http.url": PATH,
    user_agent: "-",
    "url.path": PATH,
    "inference.group": group.replaceAll("%", "%%"),
    "inference.tenant": `%REQ(${NODE_HEADERS.consumer.toUpperCase()}):256%`,
  };
  return {
    tracing: {
      provider: extension("envoy.tracers.opentelemetry", "config.trace.v3.OpenTelemetryConfig", {
        grpc_service: { envoy_grpc: { cluster_name: TRACES_CLUSTER }, timeout: duration(REPORT_SECONDS) },
        service_name: service,
        sampler: SAMPLER,
      }),
      custom_tags: Object.entries(tags).map(([tag, value]) => ({ tag, value })),
    },
    // One ID in all logs: no digit marks whether the request is traced.
    request_id_extension: {
      typed_config: message("extensions.request_id.uuid.v3.UuidRequestIdConfig", {
        pack_trace_reason: false,
        use_request_id_for_trace_sampling: false,
      }),
    },
  };
}

export function tracesCluster({ host, grpcPort }: TraceReceiver): object {
  return {
    name: TRACES_CLUSTER,
    type: "STRICT_DNS",
    connect_timeout: duration(REPORT_SECONDS),
    typed_extension_protocol_options: {
      "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": message(
        "extensions.upstreams.http.v3.HttpProtocolOptions",
        { explicit_http_config: { http2_protocol_options: {} } },
      ),
    },
    load_assignment: {
      cluster_name: TRACES_CLUSTER,
      endpoints: [{ lb_endpoints: [{ endpoint: { address: socket(host, grpcPort) } }] }],
    },
  };
}
