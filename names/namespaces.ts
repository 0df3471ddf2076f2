/**
 * Namespaces of the platform. Each is some component's; they stand together because policies, rules of the config, alerts
 * and the exceptions to Pod Security name them too.
 */

/** The Gateway, its routes, policies, keys and proxy pods. */
export const GATEWAY_NAMESPACE = "inference-gateway";
export const ENVOY_GATEWAY_NAMESPACE = "envoy-gateway-system";
export const AI_GATEWAY_NAMESPACE = "envoy-ai-gateway-system";

/** The platform's cert-manager, and the keys of ClusterIssuers. */
export const CERT_MANAGER_NAMESPACE = "cert-manager";

/** Prometheus, Alertmanager, Grafana and kube-state-metrics. */
export const OBSERVABILITY_NAMESPACE = "observability";
/** GPU exporters, which need the host's devices: apart, so that the namespace above stays `restricted`. */
export const GPU_METRICS_NAMESPACE = "gpu-metrics";
/** node-exporter, which needs the host's /proc and network: apart for the same reason. */
export const NODE_METRICS_NAMESPACE = "node-metrics";

/** The trace collector, and Jaeger. */
export const TRACING_NAMESPACE = "tracing";
/** Loki. */
export const LOGGING_NAMESPACE = "logging";
/** Log collectors, which read the host's log files: apart, so that the namespace above stays `restricted`. */
export const NODE_LOGS_NAMESPACE = "node-logs";

/** KEDA: its operator, the server of its metrics, and its webhooks. */
export const KEDA_NAMESPACE = "keda";

/** Pods that keep room for replicas: apart from the models, whose ready pods are their replicas. */
export const SPARE_NAMESPACE = "spare-replicas";

/** Drivers, container toolkits and device plugins of GPUs, on clusters that bring none themselves. */
export const GPU_SOFTWARE_NAMESPACE = "gpu-software";

/** Calico's agents, on clusters whose own network enforces no NetworkPolicies. */
export const NETWORK_POLICY_NAMESPACE = "calico-system";

/** The mesh: its control plane, and its agents on every node. */
export const ISTIO_NAMESPACE = "istio-system";

/** What waits for the operators of the cloud's add-ons, before they are told of RDMA devices. */
export const RDMA_DEVICES_NAMESPACE = "rdma-devices";

/** Trials of RDMA networks before models come, and who certifies nodes by them. */
export const FABRIC_GATE_NAMESPACE = "fabric-gate";
/** The same of pools whose pods use the network of their nodes: apart, so that the namespace above stays `restricted`. */
export const FABRIC_GATE_HOST_NAMESPACE = "fabric-gate-host";

export const MODEL_STORE_NAMESPACE = "model-store";
export const MODEL_CONTROL_NAMESPACE = "model-control";
export const BETA9_NAMESPACE = "beta9";
/** The chat page. */
export const OPEN_WEBUI_NAMESPACE = "open-webui";
/** Portainer's agent. */
export const PORTAINER_NAMESPACE = "portainer";
/** Rancher's agent: the Rancher server names the namespace. */
export const RANCHER_NAMESPACE = "cattle-system";
/** Fleet's agent, which the Rancher server installs. */
export const RANCHER_FLEET_NAMESPACE = "cattle-fleet-system";

/** Argo CD, where its own installation guide has it. */
export const ARGO_CD_NAMESPACE = "argocd";
/** Applications of charts that the rendered folder holds: apart, so that nothing in Git reaches the namespace above. */
export const ARGO_CD_CHARTS_NAMESPACE = "argocd-charts";

/** All of them but those of models. */
export const PLATFORM_NAMESPACES: readonly string[] = [
  GATEWAY_NAMESPACE,
  ENVOY_GATEWAY_NAMESPACE,
  AI_GATEWAY_NAMESPACE,
  CERT_MANAGER_NAMESPACE,
  OBSERVABILITY_NAMESPACE,
  GPU_METRICS_NAMESPACE,
  NODE_METRICS_NAMESPACE,
  TRACING_NAMESPACE,
  LOGGING_NAMESPACE,
  NODE_LOGS_NAMESPACE,
  KEDA_NAMESPACE,
  SPARE_NAMESPACE,
  GPU_SOFTWARE_NAMESPACE,
  NETWORK_POLICY_NAMESPACE,
  ISTIO_NAMESPACE,
  RDMA_DEVICES_NAMESPACE,
  FABRIC_GATE_NAMESPACE,
  FABRIC_GATE_HOST_NAMESPACE,
  MODEL_STORE_NAMESPACE,
  MODEL_CONTROL_NAMESPACE,
  BETA9_NAMESPACE,
  OPEN_WEBUI_NAMESPACE,
  PORTAINER_NAMESPACE,
  RANCHER_NAMESPACE,
  RANCHER_FLEET_NAMESPACE,
  ARGO_CD_NAMESPACE,
  ARGO_CD_CHARTS_NAMESPACE,
];

/** Namespace of a model: each one has its own. */
export function modelNamespaceName(model: string): string {
  return `model-${model}`;
}
