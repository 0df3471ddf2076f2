/** The Gateway, its routes, policies, keys and proxies. */
export const GATEWAY_NAMESPACE = "inference-gateway";
export const ENVOY_GATEWAY_NAMESPACE = "envoy-gateway-system";
export const AI_GATEWAY_NAMESPACE = "envoy-ai-gateway-system";

/** The platform's cert-manager, and the keys of ClusterIssuers. */
export const CERT_MANAGER_NAMESPACE = "cert-manager";

/** Prometheus, Alertmanager, Grafana and kube-state-metrics. */
export const OBSERVABILITY_NAMESPACE = "observability";
/** GPU exporters, which need host devices; separate, to keep the namespace above `restricted`. */
export const GPU_METRICS_NAMESPACE = "gpu-metrics";
/** node-exporter, which needs the host's /proc and network; separate for the same reason. */
export const NODE_METRICS_NAMESPACE = "node-metrics";

/** The trace collector, and Jaeger. */
export const TRACING_NAMESPACE = "tracing";
/** Loki. */
export const LOGGING_NAMESPACE = "logging";
/** Log collectors, which read host files; separate, to keep the namespace above `restricted`. */
export const NODE_LOGS_NAMESPACE = "node-logs";

/** KEDA: operator, metrics server and webhooks. */
export const KEDA_NAMESPACE = "keda";

/** Placeholder pods; separate, as ready pods of a model's namespace count as replicas. */
export const SPARE_NAMESPACE = "spare-replicas";

/** GPU drivers, container toolkits and device plugins, unless the cluster provides them. */
export const GPU_SOFTWARE_NAMESPACE = "gpu-software";

/** Calico, on clusters whose network does not enforce NetworkPolicies. */
export const NETWORK_POLICY_NAMESPACE = "calico-system";

/** Control plane and node agents of the mesh. */
export const ISTIO_NAMESPACE = "istio-system";

/** Jobs that wait for operators of cloud add-ons before RDMA devices are configured. */
export const RDMA_DEVICES_NAMESPACE = "rdma-devices";

/** RDMA fabric tests before models start, and node certification. */
export const FABRIC_GATE_NAMESPACE = "fabric-gate";
/** Same for pools with host network; separate, to keep the namespace above `restricted`. */
export const FABRIC_GATE_HOST_NAMESPACE = "fabric-gate-host";

export const MODEL_STORE_NAMESPACE = "model-store";
/** Caches of weights, which write a folder of their nodes; separate, to keep the store's namespace `restricted`. */
export const NODE_CACHE_NAMESPACE = "node-cache";
export const MODEL_CONTROL_NAMESPACE = "model-control";
export const BETA9_NAMESPACE = "beta9";
/** The chat page. */
export const OPEN_WEBUI_NAMESPACE = "open-webui";
/** Portainer's agent. */
export const PORTAINER_NAMESPACE = "portainer";
/** Rancher's agent; name set by the Rancher server. */
export const RANCHER_NAMESPACE = "cattle-system";
/** Fleet's agent, which the Rancher server installs. */
export const RANCHER_FLEET_NAMESPACE = "cattle-fleet-system";

/** Argo CD; name from its installation guide. */
export const ARGO_CD_NAMESPACE = "argocd";
/** Applications of rendered charts; separate, so that Git cannot change the namespace above. */
export const ARGO_CD_CHARTS_NAMESPACE = "argocd-charts";

/** All except model namespaces. */
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

export function modelNamespaceName(model: string): string {
  return `model-${model}`;
}
