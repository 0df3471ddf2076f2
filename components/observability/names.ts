import { OBSERVABILITY_NAMESPACE } from "../../names/namespaces";
import { serviceHost } from "../../names/service-host";
import type { PodSelection } from "../core/connections";

/** Release and prefix of everything that the metrics stack creates. */
export const STACK_RELEASE = "metrics";

/** Pods of the stack, by labels that the charts and the operator write. */
export const STACK_PODS = {
  // The chart runs it as an account of its own: the release, and the part.
  prometheus: { ...inStack("prometheus"), serviceAccount: `${STACK_RELEASE}-prometheus` },
  alertmanager: inStack("alertmanager"),
  grafana: inStack("grafana"),
  kubeStateMetrics: inStack("kube-state-metrics"),
  /** The operator and the hook Jobs that make its webhook's certificate. */
  operator: inStack("kube-prometheus-stack-prometheus-operator"),
} as const;

function inStack(name: string): PodSelection {
  return { namespace: OBSERVABILITY_NAMESPACE, podLabels: { "app.kubernetes.io/name": name } };
}

/** Of the query API, at its Service and at its pods. */
export const PROMETHEUS_PORT = 9090;

/** Address of the query API inside the cluster. */
export const PROMETHEUS_URL = `http://${serviceHost(`${STACK_RELEASE}-prometheus`, OBSERVABILITY_NAMESPACE)}:${PROMETHEUS_PORT}`;

/** Address of Grafana inside the cluster: `kubectl -n observability port-forward svc/metrics-grafana 3000:80`. */
export const GRAFANA_SERVICE = `${STACK_RELEASE}-grafana`;

/** Secret with `admin-user` and `admin-password` of Grafana. */
export const GRAFANA_ADMIN_SECRET = "grafana-admin";
