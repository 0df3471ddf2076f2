/** What panels read and no case of a rule has: one row for each series. */
import type { InputSeries } from "../../../components/observability/rules/types";

const GROWS = "0+60x30";
const STEADY = "1x30";
const CHAT = 'namespace="model-chat",pod="chat-0",model="chat"';
const NODE_ENGINE = 'envoy_cluster_name="engine",group="cluster",namespace="model-chat",pod="chat-0"';
const WORKER = 'worker="ollama-0"';

/** A histogram whose samples are all in its second bucket. */
function histogram(name: string, labels: string): InputSeries {
  const of = (le: string) => `${name}_bucket{${[labels, `le="${le}"`].filter(Boolean).join(",")}}`;
  return { [of("1")]: "0x30", [of("2")]: GROWS, [of("+Inf")]: GROWS };
}

export const PANEL_SERIES: InputSeries = {
  'inference:planned_max_replicas:count{namespace="model-chat",model="chat"}': STEADY,
  'ratelimit_service_rate_limit_over_limit{tenant="web",quota="requests"}': GROWS,
  'ratelimit_service_rate_limit_total_hits{tenant="web",quota="tokens"}': GROWS,
  ...histogram("vllm:inter_token_latency_seconds", CHAT),
  'envoy_http_downstream_rq_active{pod="proxy-0",envoy_http_conn_manager_prefix="https-443"}': STEADY,
  'envoy_cluster_upstream_cx_connect_fail{envoy_cluster_name="httproute/inference-gateway/model-chat/rule/0"}': GROWS,
  'envoy_server_memory_heap_size{namespace="inference-gateway",pod="proxy-0"}': STEADY,
  ...histogram("envoy_cluster_upstream_rq_time", 'envoy_cluster_name="httproute/inference-gateway/model-chat/rule/0"'),
  [`vllm:num_requests_running{${CHAT}}`]: STEADY,
  [`vllm:prompt_tokens_total{${CHAT}}`]: GROWS,
  [`vllm:generation_tokens_total{${CHAT}}`]: GROWS,
  [`vllm:request_success_total{${CHAT},finished_reason="stop"}`]: GROWS,
  [`vllm:num_preemptions_total{${CHAT}}`]: GROWS,
  minio_cluster_capacity_usable_free_bytes: STEADY,
  minio_cluster_capacity_usable_total_bytes: STEADY,
  'keda_scaler_metrics_value{exported_namespace="model-chat",scaler="prometheus"}': STEADY,
  'keda_scaler_active{exported_namespace="model-chat",scaler="prometheus"}': STEADY,
  'keda_scaled_object_paused{exported_namespace="model-chat",scaledObject="replicas"}': STEADY,
  'keda_scaled_object_errors_total{exported_namespace="model-chat",scaledObject="replicas"}': GROWS,
  [`envoy_cluster_upstream_rq_xx{${NODE_ENGINE},envoy_response_code_class="2"}`]: GROWS,
  [`envoy_cluster_upstream_rq_xx{${NODE_ENGINE},envoy_response_code_class="5"}`]: GROWS,
  'istio_tcp_connections_failed_total{destination_workload_namespace="model-chat",response_flags="CONNECT"}': GROWS,
  'istio_requests_total{reporter="waypoint",namespace="model-chat",response_code="403"}': GROWS,
  pilot_xds: STEADY,
  'pilot_total_xds_rejects{type="cds"}': GROWS,
  'pilot_xds_pushes{type="cds_senderr"}': GROWS,
  pilot_total_xds_internal_errors: GROWS,
  ...histogram("pilot_proxy_convergence_time", ""),
  'model_control_tasks{state="queued"}': STEADY,
  ...histogram("model_control_task_duration_seconds", 'kind="pull"'),
  'model_control_task_attempts_failed_total{kind="pull"}': GROWS,
  'model_control_inference_tasks{state="queued"}': STEADY,
  model_control_inference_oldest_waiting_seconds: STEADY,
  'model_control_inference_answers_total{model="chat",outcome="answered"}': GROWS,
  'model_control_inference_tokens_total{model="chat",direction="in"}': GROWS,
  'model_control_http_request_duration_seconds_count{route="/models",status="200"}': GROWS,
  ...histogram("model_control_http_request_duration_seconds", 'route="/models",status="200"'),
  ...histogram("model_control_inference_waiting_seconds", 'model="chat"'),
  ...histogram("model_control_inference_answering_seconds", 'model="chat"'),
  [`model_control_worker_state{${WORKER},state="ready"}`]: STEADY,
  [`model_control_worker_memory_used_bytes{${WORKER}}`]: STEADY,
  [`model_control_worker_memory_budget_bytes{${WORKER}}`]: STEADY,
  [`model_control_worker_disk_used_bytes{${WORKER}}`]: STEADY,
  [`model_control_worker_disk_budget_bytes{${WORKER}}`]: STEADY,
};
