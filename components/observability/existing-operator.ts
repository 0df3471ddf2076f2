import type { PodSelection } from "../core/connections";

/** An existing Prometheus Operator, and how it selects objects. */
export interface ExistingOperator {
  /** Of its Prometheus. */
  readonly namespace: string;
  /** Labels that it asks of monitors and rules. */
  readonly labels: Readonly<Record<string, string>>;
  /** Labels by which Grafana's sidecar finds dashboards. */
  readonly dashboardLabels: Readonly<Record<string, string>>;
  /** Labels of the pods of its Prometheus. */
  readonly podLabels: Readonly<Record<string, string>>;
  /** Query API inside the cluster. */
  readonly url: string;
}

/** Who answers queries about metrics. */
export interface MetricsApi {
  readonly pods: PodSelection;
  readonly port: number;
}
