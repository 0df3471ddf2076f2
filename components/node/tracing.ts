/** How a node's Envoy reports spans. Written against Envoy 1.40. */
import type { TraceReceiver } from "../../names/trace-receiver";
import { duration, extension, message, socket } from "./envoy-extension";
import { NODE_HEADERS, TRACES_CLUSTER } from "./envoy-names";

/** As in the log: without its query. */
const PATH = "%PATH(NQ:ORIG_OR_PATH):256%";

/** Requests of a trace that somebody began, the gateway as a rule, and no others: no probes. */
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

/** Seconds until a report is given up: no request waits for it. */
const REPORT_SECONDS = 5;

/**
 * Part of the connection manager: it continues the gateway's trace. Tags replace those of Envoy that hold the query and the user agent; an empty one would not.
 *
 * @param service name that spans have.
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
    // One request has one id in all logs: no digit of it says whether it is traced.
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
