import { COST_SERIES } from "../../../names/cost-series";
import {
  ARGO_CD_NAMESPACE,
  OPEN_WEBUI_NAMESPACE,
  PORTAINER_NAMESPACE,
  RANCHER_NAMESPACE,
} from "../../../names/namespaces";
import { DISK_FREE_LIMIT, STORE_FREE_LIMIT, VOLUME_FREE_LIMIT } from "../rules/limits";
import { REPLICAS } from "../rules/models";
import { OBJECTIVE } from "../rules/objectives";
import { ERROR_SHARE } from "./gateway";
import { CHOSEN, chosen, REQUESTS } from "./queries";
import type { DashboardSpec } from "./spec";

const MANAGED_BY = [ARGO_CD_NAMESPACE, PORTAINER_NAMESPACE, RANCHER_NAMESPACE, OPEN_WEBUI_NAMESPACE].join("|");

/** First page for on-call. */
export const platformOverview: DashboardSpec = {
  uid: "inference-platform",
  title: "Inference platform",
  description: "The first page: what users get, what it costs, and what fills up.",
  variables: [{ name: "model", metric: "inference:model_namespace:info", label: "model" }],
  rows: [
    {
      title: "What users get",
      panels: [
        REQUESTS,
        ERROR_SHARE,
        {
          title: "Ready replicas",
          description: "Replicas that answer. None for 10 minutes, though wanted: the alert ModelUnavailable fires.",
          unit: "short",
          type: "stat",
          queries: [{ expr: `${REPLICAS.ready}${CHOSEN}`, legend: "{{model}}" }],
          alerts: ["ModelUnavailable", "ReplicaLost"],
        },
        {
          title: "Whole request, p99",
          description: "From request to last token.",
          unit: "ms",
          queries: [{ expr: `inference_p99_latency_ms${CHOSEN}`, legend: "{{model}}" }],
        },
      ],
    },
    {
      title: "Load and cost",
      panels: [
        {
          title: "Waiting requests",
          description: "In the engines of each model. Never empty and longer: the alert RequestQueueGrowing.",
          unit: "short",
          queries: [{ expr: `sum by (model) (${chosen("requestsWaiting")})`, legend: "{{model}}" }],
          alerts: ["RequestQueueGrowing"],
        },
        {
          title: "GPUs, busy",
          description: "Mean of each node; single GPUs and their faults are in the dashboard GPUs.",
          unit: "percent",
          max: 100,
          queries: [{ expr: "avg by (node) (gpu_utilization_percent)", legend: "{{node}}" }],
        },
        {
          title: "Error budgets left",
          description: "Of 30 days, the worst of each model's objectives. Empty: no model has a serviceLevel.",
          unit: "percentunit",
          type: "gauge",
          max: 1,
          queries: [{ expr: `min by (model) (${OBJECTIVE.left}${CHOSEN})`, legend: "{{model}}" }],
          alerts: ["ErrorBudgetBurnsFast"],
        },
        {
          title: "Cost per hour",
          description: "By the plan's prices, next to the plan. npm run cost says why they differ.",
          unit: "currencyUSD",
          queries: [
            { expr: COST_SERIES.total, legend: "actual" },
            { expr: `sum(${COST_SERIES.planned})`, legend: "planned, on average" },
          ],
          alerts: ["CostDriftsFromPlan"],
        },
      ],
    },
    {
      title: "Storage",
      panels: [
        {
          title: "Model store",
          description: `Under ${100 * STORE_FREE_LIMIT} % free, the next model cannot be synchronised: the alert ModelStoreFull.`,
          alerts: ["ModelStoreFull"],
          unit: "bytes",
          queries: [
            { expr: "minio_cluster_capacity_usable_free_bytes", legend: "free" },
            { expr: "minio_cluster_capacity_usable_total_bytes", legend: "total" },
          ],
        },
        {
          title: "Volumes in use",
          description:
            "Share of each claim; above the line the alert PersistentVolumeFilling fires. Empty where volumes are folders of the node: see the disks.",
          unit: "percentunit",
          max: 1,
          limit: { above: 1 - VOLUME_FREE_LIMIT },
          alerts: ["PersistentVolumeFilling"],
          queries: [
            {
              expr: "1 - min by (namespace, persistentvolumeclaim) (kubelet_volume_stats_available_bytes / kubelet_volume_stats_capacity_bytes)",
              legend: "{{namespace}}/{{persistentvolumeclaim}}",
            },
          ],
        },
        {
          title: "Disks of the nodes in use",
          description: "Share of each disk; above the line the alert NodeDiskFilling fires.",
          unit: "percentunit",
          max: 1,
          limit: { above: 1 - DISK_FREE_LIMIT },
          alerts: ["NodeDiskFilling"],
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
