/**
 * The attributes that spans keep, of requests and of who reports them; every other one is removed. None of them holds text of a request
 * or an answer, a key, a URL's query or a user agent.
 */
export const SPAN_ATTRIBUTES: readonly string[] = [
  // Who reports it.
  "service.name",
  "service.version",
  "service.instance.id",
  "k8s.namespace.name",
  "k8s.pod.name",
  // Envoy: gateway and nodes (source/common/tracing/common_values.h), and what ours add (trace-tags.ts).
  "guid:x-request-id",
  "component",
  "node_id",
  "upstream_cluster",
  "upstream_cluster.name",
  "response_flags",
  "request_size",
  "response_size",
  "http.method",
  "http.status_code",
  "http.protocol",
  "error",
  "url.path",
  "inference.tenant",
  "inference.model",
  "inference.group",
  // Model control.
  "http.request.method",
  "http.response.status_code",
  "http.route",
  "server.address",
  "task.id",
  "model",
  "worker",
  // vLLM (vllm/tracing of 0.32).
  "gen_ai.request.id",
  "gen_ai.request.max_tokens",
  "gen_ai.request.n",
  "gen_ai.request.temperature",
  "gen_ai.request.top_p",
  "gen_ai.response.model",
  "gen_ai.usage.prompt_tokens",
  "gen_ai.usage.completion_tokens",
  "gen_ai.usage.num_sequences",
  "gen_ai.latency.time_in_queue",
  "gen_ai.latency.time_to_first_token",
  "gen_ai.latency.e2e",
  "gen_ai.latency.time_in_model_prefill",
  "gen_ai.latency.time_in_model_decode",
  "gen_ai.latency.time_in_model_inference",
  // Triton (server r26.07, src/tracer.cc).
  "triton.model_name",
  "triton.model_version",
  "triton.trace_id",
  "triton.trace_parent_id",
  "triton.steady_timestamp_ns",
];
