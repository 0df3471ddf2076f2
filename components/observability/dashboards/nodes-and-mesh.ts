import { NODE_CLUSTERS } from "../../node/envoy-names";
import type { DashboardSpec } from "./spec";

/** Inference in the chosen groups. */
const ENGINE = `envoy_cluster_name="${NODE_CLUSTERS.engine}",group=~"$group"`;
const ANSWERS = "envoy_cluster_upstream_rq_xx";
const INBOUND = 'reporter=~"waypoint|destination"';

export const nodesAndMesh: DashboardSpec = {
  uid: "inference-nodes-mesh",
  title: "Inference nodes and mesh",
  description: "Nodes of each server group, and what connects pods. Empty rows: no groups, or no mesh.",
  variables: [{ name: "group", metric: "inference:group_healthy_nodes:count", label: "group" }],
  rows: [
    {
      title: "Server groups",
      panels: [
        {
          title: "Healthy nodes",
          description: "Nodes whose own /health says ok. Fewer than replicas: an alert InferenceNode… names the pod.",
          unit: "short",
          type: "stat",
          queries: [{ expr: 'inference:group_healthy_nodes:count{group=~"$group"}', legend: "{{group}}" }],
        },
        {
          title: "Requests per node",
          description: "A node without requests while others have many is not ready, or the gateway lost its address.",
          unit: "reqps",
          queries: [
            {
              expr: `sum by (group, pod) (rate(${ANSWERS}{${ENGINE}}[$__rate_interval]))`,
              legend: "{{group}} {{pod}}",
            },
          ],
        },
        {
          title: "Share of 5xx per node",
          description:
            "Above 5 % for 10 minutes the alert InferenceNodeErrors fires. One node: its machine. All: the model.",
          alerts: ["InferenceNodeErrors"],
          unit: "percentunit",
          queries: [
            {
              expr: `sum by (group, pod) (rate(${ANSWERS}{${ENGINE},envoy_response_code_class="5"}[$__rate_interval])) / sum by (group, pod) (rate(${ANSWERS}{${ENGINE}}[$__rate_interval]))`,
              legend: "{{group}} {{pod}}",
            },
          ],
        },
        {
          title: "Whole answer, p99",
          description: "From a request at a node to the end of its engine's answer; long answers take long.",
          unit: "ms",
          queries: [{ expr: 'inference_group_p99_latency_ms{group=~"$group"}', legend: "{{group}}" }],
        },
      ],
    },
    {
      title: "Mesh: connections",
      panels: [
        {
          title: "Share of mutual TLS",
          description: "Less than 1 for a model's namespace in ambient mode: the alert MeshPlaintextToModel fires.",
          alerts: ["MeshPlaintextToModel"],
          unit: "percentunit",
          max: 1,
          queries: [{ expr: "mesh:mutual_tls:ratio", legend: "{{destination_workload_namespace}}" }],
        },
        {
          title: "Failed connections",
          description:
            "DENY: no policy allows them. NETWORK_POLICY: port 15008 is closed. CONNECT: no process listens.",
          unit: "short",
          queries: [
            {
              expr: "60 * sum by (destination_workload_namespace, response_flags) (rate(istio_tcp_connections_failed_total[$__rate_interval]))",
              legend: "{{destination_workload_namespace}} {{response_flags}}",
            },
          ],
        },
        {
          title: "Requests, p99",
          description: "As the proxy in front of each namespace saw them.",
          unit: "ms",
          queries: [{ expr: "mesh_p99_latency_ms", legend: "{{namespace}}" }],
        },
        {
          title: "Requests refused by the mesh",
          description: "429: more than mesh.requestsPerSecond. 401 and 403: past the gateway, without a token.",
          unit: "reqps",
          queries: [
            {
              expr: `sum by (namespace, response_code) (rate(istio_requests_total{${INBOUND},response_code=~"401|403|429"}[$__rate_interval]))`,
              legend: "{{namespace}} {{response_code}}",
            },
          ],
        },
      ],
    },
    {
      title: "Mesh: control plane",
      panels: [
        {
          title: "Proxies connected to istiod",
          description: "Agents, waypoints and sidecars connected to istiod. A sudden fall: istiod or the way to it.",
          unit: "short",
          queries: [{ expr: "sum(pilot_xds)", legend: "connected" }],
        },
        {
          title: "Refused and unsent configuration",
          description: "Refused: the alert MeshConfigurationRejected. Unsent alone is proxies that come and go.",
          alerts: ["MeshConfigurationRejected"],
          unit: "short",
          queries: [
            { expr: "sum by (type) (increase(pilot_total_xds_rejects[$__rate_interval]))", legend: "refused {{type}}" },
            {
              expr: 'sum by (type) (increase(pilot_xds_pushes{type=~".+_senderr"}[$__rate_interval]))',
              legend: "{{type}}",
            },
            { expr: "sum(increase(pilot_total_xds_internal_errors[$__rate_interval]))", legend: "internal errors" },
          ],
        },
        {
          title: "From a change to all proxies, p99",
          description: "Longer than some seconds: istiod has too little CPU.",
          unit: "s",
          queries: [
            {
              expr: "histogram_quantile(0.99, sum by (le) (rate(pilot_proxy_convergence_time_bucket[$__rate_interval])))",
              legend: "p99",
            },
          ],
        },
        {
          title: "Certificates",
          description: "Time until the root ends. Under 30 days the alert MeshRootCertificateExpiringSoon fires.",
          alerts: ["MeshRootCertificateExpiringSoon"],
          unit: "s",
          type: "stat",
          queries: [{ expr: "min(citadel_server_root_cert_expiry_timestamp) - time()", legend: "root" }],
        },
      ],
    },
  ],
};
