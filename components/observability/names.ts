import type { Labels } from "../core/labels";
import { type Peer, podsOf } from "../core/network";

/** Prometheus, Alertmanager, Grafana and kube-state-metrics. */
export const OBSERVABILITY_NAMESPACE = "observability";

/** GPU exporters, which need the host's devices: apart, so that the namespace above stays `restricted`. */
export const GPU_METRICS_NAMESPACE = "gpu-metrics";

/** node-exporter, which needs the host's /proc and network: apart for the same reason. */
export const NODE_METRICS_NAMESPACE = "node-metrics";

/** Release and prefix of everything that the metrics stack creates. */
export const STACK_RELEASE = "metrics";

/** Labels of the pods by which they are selected in NetworkPolicies; written by the charts and the operator. */
export const STACK_PODS = {
  prometheus: { "app.kubernetes.io/name": "prometheus" },
  alertmanager: { "app.kubernetes.io/name": "alertmanager" },
  grafana: { "app.kubernetes.io/name": "grafana" },
  kubeStateMetrics: { "app.kubernetes.io/name": "kube-state-metrics" },
  /** The operator and the hook Jobs that make its webhook's certificate. */
  operator: { "app.kubernetes.io/name": "kube-prometheus-stack-prometheus-operator" },
} as const satisfies Record<string, Labels>;

/** Who scrapes, as a selection of pods. */
export const prometheusPods = { namespace: OBSERVABILITY_NAMESPACE, podLabels: STACK_PODS.prometheus } as const;

/** Who scrapes, as the peer to let in wherever a pod has metrics. */
export const PROMETHEUS_PEER: Peer = podsOf(prometheusPods);

/** Address of the query API inside the cluster. */
export const PROMETHEUS_URL = `http://${STACK_RELEASE}-prometheus.${OBSERVABILITY_NAMESPACE}.svc:9090`;

/** Address of Grafana inside the cluster: `kubectl -n observability port-forward svc/metrics-grafana 3000:80`. */
export const GRAFANA_SERVICE = `${STACK_RELEASE}-grafana`;

/** Secret with `admin-user` and `admin-password` of Grafana. */
export const GRAFANA_ADMIN_SECRET = "grafana-admin";
