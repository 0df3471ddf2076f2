import { CONSUMER_HEADER, MODEL_HEADER } from "./names";

/** Where the AI gateway's filter leaves token counts for the access log. */
const TOKENS = "io.envoy.ai_gateway";

/** What the filter counts per request: metadata key to kind, as in `AIGatewayRoute.spec.llmRequestCosts`. */
export const TOKEN_COSTS = [
  { metadataKey: "llm_input_token", type: "InputToken" },
  { metadataKey: "llm_output_token", type: "OutputToken" },
  { metadataKey: "llm_total_token", type: "TotalToken" },
] as const;

/**
 * One JSON object per request on the proxy's standard output; Envoy writes numbers for numeric operators.
 * Never the Authorization header, a query string or a body: they hold keys and prompts.
 */
export const ACCESS_LOG: Readonly<Record<string, string>> = {
  timestamp: "%START_TIME%",
  request_id: "%REQ(X-REQUEST-ID)%",
  consumer: `%REQ(${CONSUMER_HEADER.toUpperCase()})%`,
  model: `%REQ(${MODEL_HEADER.toUpperCase()})%`,
  method: "%REQ(:METHOD)%",
  path: "%REQ_WITHOUT_QUERY(X-ENVOY-ORIGINAL-PATH?:PATH)%",
  status: "%RESPONSE_CODE%",
  status_details: "%RESPONSE_CODE_DETAILS%",
  response_flags: "%RESPONSE_FLAGS%",
  latency_ms: "%DURATION%",
  time_to_first_byte_ms: "%RESPONSE_DURATION%",
  input_tokens: `%DYNAMIC_METADATA(${TOKENS}:llm_input_token)%`,
  output_tokens: `%DYNAMIC_METADATA(${TOKENS}:llm_output_token)%`,
  total_tokens: `%DYNAMIC_METADATA(${TOKENS}:llm_total_token)%`,
  bytes_received: "%BYTES_RECEIVED%",
  bytes_sent: "%BYTES_SENT%",
  client_address: "%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%",
  upstream: "%UPSTREAM_HOST%",
  upstream_attempts: "%UPSTREAM_REQUEST_ATTEMPT_COUNT%",
  route: "%ROUTE_NAME%",
};
