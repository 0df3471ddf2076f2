import { CONSUMER_HEADER, MODEL_HEADER, QUOTA_HEADER } from "./names";

/** Where the AI gateway's filter leaves token counts, for the access log and for quotas. */
export const TOKEN_COUNTS = {
  namespace: "io.envoy.ai_gateway",
  input: "llm_input_token",
  output: "llm_output_token",
  total: "llm_total_token",
} as const;

/** What the filter counts per request: metadata key to kind, as in `AIGatewayRoute.spec.llmRequestCosts`. */
export const TOKEN_COSTS = [
  { metadataKey: TOKEN_COUNTS.input, type: "InputToken" },
  { metadataKey: TOKEN_COUNTS.output, type: "OutputToken" },
  { metadataKey: TOKEN_COUNTS.total, type: "TotalToken" },
] as const;

/**
 * Where `scripts/model-path.lua` leaves the path that the client called, without its query, when it gives the filter another. Metadata of the
 * request: no client can send it, and no backend sees it.
 */
export const CLIENT_PATH = { namespace: "inference-stacks", key: "client_path" } as const;

/** The path as the client called it. Nested operators are Envoy's own alone, so no REQ_WITHOUT_QUERY (source/common/formatter/coalesce_formatter.cc). */
export const CLIENT_PATH_OPERATOR = coalesce(
  { command: "DYNAMIC_METADATA", param: `${CLIENT_PATH.namespace}:${CLIENT_PATH.key}` },
  { command: "PATH", param: "NQ:ORIG_OR_PATH" },
);

/**
 * One JSON object per request on the proxy's standard output; Envoy writes numbers for numeric operators.
 * Never the Authorization header, a query string or a body: they hold keys and prompts.
 */
export const ACCESS_LOG: Readonly<Record<string, string>> = {
  timestamp: "%START_TIME%",
  request_id: "%REQ(X-REQUEST-ID)%",
  // What the client's traceparent header says (W3C Trace Context: 55 characters in its only version); without the add-on tracing the proxies start no traces.
  trace_id: "%REQ(TRACEPARENT):55%",
  tenant: `%REQ(${CONSUMER_HEADER.toUpperCase()})%`,
  // Under its first name, for readers of older logs.
  consumer: `%REQ(${CONSUMER_HEADER.toUpperCase()})%`,
  model: `%REQ(${MODEL_HEADER.toUpperCase()})%`,
  method: "%REQ(:METHOD)%",
  path: CLIENT_PATH_OPERATOR,
  status: "%RESPONSE_CODE%",
  status_details: "%RESPONSE_CODE_DETAILS%",
  response_flags: "%RESPONSE_FLAGS%",
  // Which quota was used up, where the gateway answered 429: requests or tokens.
  quota: `%RESP(${QUOTA_HEADER.toUpperCase()})%`,
  latency_ms: "%DURATION%",
  time_to_first_byte_ms: "%RESPONSE_DURATION%",
  input_tokens: tokens(TOKEN_COUNTS.input),
  output_tokens: tokens(TOKEN_COUNTS.output),
  total_tokens: tokens(TOKEN_COUNTS.total),
  bytes_received: "%BYTES_RECEIVED%",
  bytes_sent: "%BYTES_SENT%",
  client_address: "%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%",
  upstream: "%UPSTREAM_HOST%",
  upstream_attempts: "%UPSTREAM_REQUEST_ATTEMPT_COUNT%",
  route: "%ROUTE_NAME%",
};

/** The same of proxies that start traces: the id alone, by which logs and traces are joined. */
export const TRACED_ACCESS_LOG: typeof ACCESS_LOG = { ...ACCESS_LOG, trace_id: "%TRACE_ID%" };

function tokens(key: string): string {
  return `%DYNAMIC_METADATA(${TOKEN_COUNTS.namespace}:${key})%`;
}

/** The first of these operators that has a value (Envoy 1.39, `COALESCE`). */
function coalesce(...operators: readonly { readonly command: string; readonly param: string }[]): string {
  return `%COALESCE(${JSON.stringify({ operators })})%`;
}
