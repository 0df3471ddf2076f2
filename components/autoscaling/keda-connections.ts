import { type Connection, connect, type PodSelection } from "../core/connections";
import { type ClusterNetworks, fromKubernetesApi, toKubernetesApi } from "../core/network";
import { KEDA_PODS } from "./keda-names";

export interface QueryApi {
  readonly pods: PodSelection;
  readonly port: number;
}

/** Connections of KEDA's components. Metrics scraping is declared with the targets. */
export function kedaConnections(networks: ClusterNetworks, prometheus: QueryApi): Connection[] {
  const { operator, metricsServer, webhooks } = KEDA_PODS;
  return [
    toKubernetesApi("keda", [operator, metricsServer, webhooks], networks),
    fromKubernetesApi("keda-metrics-server", metricsServer, [metricsServer.port], "this API of metrics"),
    fromKubernetesApi("keda-webhooks", webhooks, [webhooks.port]),
    connect({
      name: "keda-metrics-server-to-operator",
      reason: "It asks the operator for the signals that a HorizontalPodAutoscaler asks it for",
      from: metricsServer,
      to: operator,
      ports: [operator.port],
    }),
    connect({
      name: "keda-operator-to-prometheus",
      reason: "It reads the signals by which models are scaled",
      from: operator,
      to: prometheus.pods,
      ports: [prometheus.port],
    }),
  ];
}
