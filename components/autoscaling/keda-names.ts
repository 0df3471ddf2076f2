import { KEDA_NAMESPACE } from "../../names/namespaces";
import type { PodSelection } from "../core/connections";

export const KEDA_RELEASE = "keda";

/** Secret with `tls.crt`, `tls.key` and `ca.crt` of all components, as named by the chart. */
export const KEDA_CERTIFICATE = "kedaorg-certs";

const METRICS_PORT = 8080;

export interface KedaPods extends PodSelection {
  readonly serviceAccount: string;
  readonly metricsPort: number;
}

/**
 * Pods and ports of KEDA's components (kedacore/charts keda 2.20.2, templates/manager,
 * metrics-server and webhooks).
 */
export const KEDA_PODS = {
  /** Queries Prometheus, and creates a HorizontalPodAutoscaler per ScaledObject. */
  operator: { ...part("keda-operator", "keda-operator"), port: 9666 },
  /** Serves the operator's values to Kubernetes as `external.metrics.k8s.io`. */
  metricsServer: { ...part("keda-operator-metrics-apiserver", "keda-metrics-server"), port: 6443 },
  /** Validate ScaledObjects. */
  webhooks: { ...part("keda-admission-webhooks", "keda-webhook"), port: 9443 },
} as const;

function part(name: string, serviceAccount: string): KedaPods {
  return {
    namespace: KEDA_NAMESPACE,
    podLabels: { "app.kubernetes.io/name": name },
    serviceAccount,
    metricsPort: METRICS_PORT,
  };
}
