/** Access log of a node and its own error responses. */
import { extension, literal } from "./envoy-extension";
import { NODE_HEADERS } from "./envoy-names";
import { NODE_HEALTH_PATH } from "./ports";

/** Bytes logged per header, so that clients cannot fill the log. */
const VALUE_BYTES = 256;

const { tenant, correlation, consumer } = NODE_HEADERS;

/**
 * One JSON object per request on stdout, with null for missing values. Names match the gateway's
 * log (components/gateway/access-log.ts). Excludes the Authorization header, query and body.
 */
export const NODE_ACCESS_LOG = {
  timestamp: "%START_TIME%",
  request_id: requestHeader("x-request-id"),
  // W3C Trace Context: 55 characters in its only version.
  trace_id: "%REQ(TRACEPARENT):55%",
  /** Consumer identified by the gateway. */
  consumer: requestHeader(consumer),
  /** Claimed by the caller, not verified. */
  tenant_id: requestHeader(tenant.from),
  correlation_id: requestHeader(correlation.from),
  method: "%REQ(:METHOD):16%",
  path: `%PATH(NQ:ORIG_OR_PATH):${VALUE_BYTES}%`,
  status: "%RESPONSE_CODE%",
  status_details: "%RESPONSE_CODE_DETAILS%",
  response_flags: "%RESPONSE_FLAGS%",
  latency_ms: "%DURATION%",
  time_to_first_byte_ms: "%RESPONSE_DURATION%",
  bytes_received: "%BYTES_RECEIVED%",
  bytes_sent: "%BYTES_SENT%",
  client_address: "%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%",
  route: "%ROUTE_NAME%",
} as const;

/**
 * @param labels constants of the node that identify it in aggregated logs.
 * @param isTraced whether the node reports spans: the log then has only the trace ID, as at the
 *   gateway.
 */
export function accessLog(labels: Readonly<Record<string, string>>, isTraced: boolean): object {
  const constants = Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, literal(value)]));
  return {
    ...extension("envoy.access_loggers.stdout", "extensions.access_loggers.stream.v3.StdoutAccessLog", {
      log_format: { json_format: { ...NODE_ACCESS_LOG, ...(isTraced && { trace_id: "%TRACE_ID%" }), ...constants } },
    }),
    // Omits successful probes, which come every few seconds.
    filter: { or_filter: { filters: [{ header_filter: { header: NOT_HEALTH } }, { status_code_filter: FAILED }] } },
  };
}

const FAILED = { comparison: { op: "GE", value: { default_value: 400, runtime_key: "node.logged_status" } } };

/** Header with the original path after a rewrite; Envoy removes a client's value. */
export const NOT_HEALTH = {
  name: "x-envoy-original-path",
  string_match: { safe_regex: { regex: `${NODE_HEALTH_PATH}(\\?.*)?` } },
  invert_match: true,
  treat_missing_header_as_empty: true,
} as const;

function requestHeader(name: string): string {
  return `%REQ(${name.toUpperCase()}):${VALUE_BYTES}%`;
}
