import { KEDA_NAMESPACE } from "../../names/namespaces";
import type { PodSelection } from "../core/connections";

/** Name of its Helm release. */
export const KEDA_RELEASE = "keda";

/** Secret with `tls.crt`, `tls.key` and `ca.crt` of all three, as the chart names it. */
export const KEDA_CERTIFICATE = "kedaorg-certs";

/** Of the metrics of each of the three. */
const METRICS_PORT = 8080;

/** Pods of one part, by a label of the chart, and what they are known by. */
export interface KedaPods extends PodSelection {
  readonly serviceAccount: string;
  readonly metricsPort: number;
}

/** Pods of its parts, and where each listens (kedacore/charts keda 2.20.2, templates/manager, metrics-server and webhooks). */
export const KEDA_PODS = {
  /** It asks Prometheus, and makes a HorizontalPodAutoscaler of each ScaledObject. */
  operator: { ...part("keda-operator", "keda-operator"), port: 9666 },
  /** It gives what the operator has read to Kubernetes, as `external.metrics.k8s.io`. */
  metricsServer: { ...part("keda-operator-metrics-apiserver", "keda-metrics-server"), port: 6443 },
  /** They refuse ScaledObjects that cannot work. */
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
