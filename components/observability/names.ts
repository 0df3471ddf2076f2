import { OBSERVABILITY_NAMESPACE } from "../../names/namespaces";
import { serviceHost } from "../../names/service-host";
import type { PodSelection } from "../core/connections";

export const STACK_RELEASE = "metrics";

/** Pod labels by the charts and the operator. */
export const STACK_PODS = {
  // The chart's own service account.
  prometheus: { ...inStack("prometheus"), serviceAccount: `${STACK_RELEASE}-prometheus` },
  alertmanager: inStack("alertmanager"),
  grafana: inStack("grafana"),
  kubeStateMetrics: inStack("kube-state-metrics"),
  /** The operator and the hook Jobs of its webhook's certificate. */
  operator: inStack("kube-prometheus-stack-prometheus-operator"),
} as const;

function inStack(name: string): PodSelection {
  return { namespace: OBSERVABILITY_NAMESPACE, podLabels: { "app.kubernetes.io/name": name } };
}

/** At its Service and its pods. */
export const PROMETHEUS_PORT = 9090;

export const PROMETHEUS_URL = `http://${serviceHost(`${STACK_RELEASE}-prometheus`, OBSERVABILITY_NAMESPACE)}:${PROMETHEUS_PORT}`;

/** Open it by `kubectl -n observability port-forward svc/metrics-grafana 3000:80`. */
export const GRAFANA_SERVICE = `${STACK_RELEASE}-grafana`;

export const GRAFANA_ADMIN_SECRET = "grafana-admin";
