import type { MetricMeaning } from "../../../engines";
import { metric } from "../../../engines/metrics";
import {
  ARGO_CD_NAMESPACE,
  OPEN_WEBUI_NAMESPACE,
  PORTAINER_NAMESPACE,
  RANCHER_NAMESPACE,
} from "../../../names/namespaces";
import type { DashboardSpec, PanelSpec, Query } from "./builder";

/** Of the models that the reader has chosen. */
function chosen(meaning: MetricMeaning): string {
  return metric(meaning, (series) => `${series}{model=~"$model"}`);
}

/** Per second, of the models that the reader has chosen. */
function rate(meaning: MetricMeaning, suffix = ""): string {
  return metric(meaning, (series) => `rate(${series}${suffix}{model=~"$model"}[$__rate_interval])`);
}

/** A latency panel: median and 95th percentile of a histogram of the engines, per model. */
function latency(title: string, description: string, histogram: MetricMeaning): PanelSpec {
  const quantile = (q: number): Query => ({
    expr: `histogram_quantile(${q}, sum by (model, le) (${rate(histogram, "_bucket")}))`,
    legend: `{{model}} p${q * 100}`,
  });
  return { title, description, unit: "s", queries: [quantile(0.5), quantile(0.95)] };
}

/** Namespaces of what manages the cluster and of the chat page, as an expression. */
const MANAGED_BY = [ARGO_CD_NAMESPACE, PORTAINER_NAMESPACE, RANCHER_NAMESPACE, OPEN_WEBUI_NAMESPACE].join("|");

/** The first page of whoever is on call: what users get, what models and GPUs do, what fills up. */
export const platformOverview: DashboardSpec = {
  uid: "inference-platform",
  title: "Inference platform",
  description: "Models, gateway, GPUs and storage at a glance.",
  variables: [{ name: "model", metric: "inference:model_namespace:info", label: "model" }],
  rows: [
    {
      title: "What users get",
      panels: [
        {
          title: "Requests",
          description: "Requests per second at the gateway, by class of answer.",
          unit: "reqps",
          queries: [
            {
              expr: 'sum by (envoy_response_code_class) (rate(envoy_http_downstream_rq_xx{envoy_http_conn_manager_prefix=~"https?-[0-9]+"}[$__rate_interval]))',
              legend: "{{envoy_response_code_class}}xx",
            },
          ],
        },
        {
          title: "Share of 5xx",
          description: "Above 5 % the alert GatewayErrorRate fires.",
          unit: "percentunit",
          queries: [
            {
              expr: 'sum(rate(envoy_http_downstream_rq_xx{envoy_http_conn_manager_prefix=~"https?-[0-9]+",envoy_response_code_class="5"}[$__rate_interval])) / sum(rate(envoy_http_downstream_rq_xx{envoy_http_conn_manager_prefix=~"https?-[0-9]+"}[$__rate_interval]))',
              legend: "5xx",
            },
          ],
        },
        {
          title: "Ready replicas",
          description: "Replicas that answer. None for 10 minutes, though wanted: the alert ModelUnavailable fires.",
          unit: "short",
          type: "stat",
          queries: [{ expr: 'inference:ready_replicas:count{model=~"$model"}', legend: "{{model}}" }],
        },
        {
          title: "Round trip to the engines",
          description: "95th percentile of the time to connect, per route.",
          unit: "ms",
          queries: [{ expr: "envoy_upstream_rtt_ms", legend: "{{envoy_cluster_name}}" }],
        },
      ],
    },
    {
      title: "Tenants with quotas",
      panels: [
        {
          title: "Refused requests",
          description:
            "Per minute, by the quota of requests. Above a fifth of all: the alert TenantRequestsRefused fires.",
          unit: "short",
          queries: [
            {
              expr: '60 * sum by (tenant) (rate(ratelimit_service_rate_limit_over_limit{quota="requests"}[$__rate_interval]))',
              legend: "{{tenant}}",
            },
          ],
        },
        {
          title: "Tokens used",
          description: "Per minute, of prompts and answers.",
          unit: "short",
          queries: [
            {
              expr: '60 * sum by (tenant) (rate(ratelimit_service_rate_limit_total_hits{quota="tokens"}[$__rate_interval]))',
              legend: "{{tenant}}",
            },
          ],
        },
      ],
    },
    {
      title: "Latency",
      panels: [
        latency("Time to first token", "A queue or long prompts raise it.", "timeToFirstTokenSeconds"),
        latency("Between tokens", "What a reader feels while text streams in.", "interTokenSeconds"),
        {
          title: "Whole answer at the gateway, p95",
          description:
            "From the proxy's request to an engine until the answer's end, per route, engines without metrics too.",
          unit: "ms",
          queries: [
            {
              expr: 'histogram_quantile(0.95, sum by (envoy_cluster_name, le) (rate(envoy_cluster_upstream_rq_time_bucket{envoy_cluster_name=~"(http|grpc)route/.*"}[$__rate_interval])))',
              legend: "{{envoy_cluster_name}}",
            },
          ],
        },
        {
          title: "Whole request, p99",
          description: "From request to last token.",
          unit: "ms",
          queries: [{ expr: 'inference_p99_latency_ms{model=~"$model"}', legend: "{{model}}" }],
        },
      ],
    },
    {
      title: "Load",
      panels: [
        {
          title: "Requests in the engine",
          description: "Waiting requests that never drain mean too few replicas.",
          unit: "short",
          queries: [
            { expr: `sum by (model) (${chosen("requestsRunning")})`, legend: "{{model}} running" },
            { expr: `sum by (model) (${chosen("requestsWaiting")})`, legend: "{{model}} waiting" },
          ],
        },
        {
          title: "Tokens per second",
          description: "Read (prompt) and written (generated).",
          unit: "short",
          queries: [
            {
              expr: `sum by (model) (${rate("promptTokensTotal")})`,
              legend: "{{model}} read",
            },
            {
              expr: `sum by (model) (${rate("generatedTokensTotal")})`,
              legend: "{{model}} written",
            },
          ],
        },
        {
          title: "KV cache in use",
          description: "Above 90 % for 10 minutes: the alert KvCacheAlmostFull fires.",
          unit: "percentunit",
          max: 1,
          queries: [{ expr: `max by (model, pod) (${chosen("kvCacheUsage")})`, legend: "{{pod}}" }],
        },
        {
          title: "Requests by how they ended",
          description: "`error` and `abort` should be rare; preemptions mean that the KV cache was too small.",
          unit: "reqps",
          queries: [
            {
              expr: `sum by (model, finished_reason) (${rate("requestsTotal")})`,
              legend: "{{model}} {{finished_reason}}",
            },
            {
              expr: `sum by (model) (${rate("preemptionsTotal")})`,
              legend: "{{model}} preempted",
            },
          ],
        },
      ],
    },
    {
      title: "GPUs",
      panels: [
        {
          title: "Utilization",
          description: "Per GPU. Held but under 30 %: money for nothing.",
          unit: "percent",
          max: 100,
          queries: [{ expr: "gpu_utilization_percent", legend: "{{node}} {{gpu}} {{namespace}}" }],
        },
        {
          title: "Memory",
          description: "Engines that preallocate stay at their limit: this is not load.",
          unit: "percent",
          max: 100,
          queries: [{ expr: "gpu_memory_utilization", legend: "{{node}} {{gpu}} {{namespace}}" }],
        },
        {
          title: "Temperature",
          description: "Above 85 °C the GPU throttles.",
          unit: "celsius",
          queries: [{ expr: "gpu_temperature_celsius", legend: "{{node}} {{gpu}}" }],
        },
      ],
    },
    {
      title: "Storage",
      panels: [
        {
          title: "Model store",
          description: "Under 10 % free, the next model cannot be synchronised.",
          unit: "bytes",
          queries: [
            { expr: "minio_cluster_capacity_usable_free_bytes", legend: "free" },
            { expr: "minio_cluster_capacity_usable_total_bytes", legend: "total" },
          ],
        },
        {
          title: "Volumes in use",
          description:
            "Share of each claim; above 90 % the alert PersistentVolumeFilling fires. Empty where volumes are folders of the node: see the disks.",
          unit: "percentunit",
          max: 1,
          queries: [
            {
              expr: "1 - min by (namespace, persistentvolumeclaim) (kubelet_volume_stats_available_bytes / kubelet_volume_stats_capacity_bytes)",
              legend: "{{namespace}}/{{persistentvolumeclaim}}",
            },
          ],
        },
        {
          title: "Disks of the nodes in use",
          description: "Share of each disk; above 85 % the alert NodeDiskFilling fires.",
          unit: "percentunit",
          max: 1,
          queries: [
            {
              expr: '1 - min by (instance, device) (node_filesystem_avail_bytes{device=~"/dev/.+",fstype!~"squashfs|iso9660"} / node_filesystem_size_bytes{device=~"/dev/.+",fstype!~"squashfs|iso9660"})',
              legend: "{{instance}} {{device}}",
            },
          ],
        },
      ],
    },
    {
      title: "GitOps, cluster management and chat",
      panels: [
        {
          title: "Ready pods",
          description:
            "Of Argo CD, Portainer's and Rancher's agents and Open WebUI. 0 for 10 minutes: the alert of the part fires.",
          unit: "short",
          queries: [
            {
              expr: `max by (namespace, deployment) (kube_deployment_status_replicas_available{namespace=~"${MANAGED_BY}"})`,
              legend: "{{namespace}}/{{deployment}}",
            },
            {
              expr: `max by (namespace, statefulset) (kube_statefulset_status_replicas_ready{namespace=~"${MANAGED_BY}"})`,
              legend: "{{namespace}}/{{statefulset}}",
            },
          ],
        },
        {
          title: "Applications that differ from Git",
          description: "By state, of Argo CD. Above 0 for long: an alert ArgoCd… names the Application.",
          unit: "short",
          queries: [
            {
              expr: 'count by (sync_status, health_status) (argocd_app_info{sync_status!="Synced"} or argocd_app_info{health_status!="Healthy"})',
              legend: "{{sync_status}} {{health_status}}",
            },
          ],
        },
      ],
    },
  ],
};
