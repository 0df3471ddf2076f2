import type { AlertRule, RuleSubject } from "./types";

/**
 * Left to each certificate of a node that runs k3s, seconds; k3s looks twice an hour (k3s-io/k3s pkg/certmonitor/certmonitor.go).
 * k3s is one process with one registry of metrics, so the kubelet's answer has it (k3s-io/docs, reference/metrics.md). So has the API
 * server's, which names no node: only the kubelet's is read. Clusters of others have no such series, and are told nothing.
 */
const LEFT = 'k3s_certificate_expiration_seconds{job="kubelet"';

/**
 * k3s renews when it starts within the last 120 days. Whoever restarts a machine for its kernel every other month never gets here: at 60
 * nobody has for two months, and there are two more to plan a restart.
 */
const REMIND_DAYS = 60;

const expiring: AlertRule = {
  alert: "ClusterCertificateExpiringSoon",
  // An authority lasts ten years, and no restart renews it.
  expr: `min by (node) (${LEFT},usages!~".*CertSign.*"}) < ${REMIND_DAYS} * 86400`,
  for: "15m",
  severity: "warning",
  summary: "Certificates of k3s on {{ $labels.node }} expire in {{ $value | humanizeDuration }}",
  description:
    "k3s renews its certificates only when it starts, and on {{ $labels.node }} it has not started for months. When they expire, the cluster answers nobody. Restart k3s there in working hours, and read the kubeconfig anew.",
  cases: {
    // The kubelet's own certificate is younger than the controllers': the oldest counts, once a node.
    fires: {
      series: {
        [`${LEFT},node="workstation",subject="CN=system:kube-controller-manager",usages="ClientAuth"}`]: "5097600x120",
        [`${LEFT},node="workstation",subject="CN=workstation",usages="ServerAuth"}`]: "5184000x120",
        [`${LEFT},node="office",subject="CN=system:kube-controller-manager",usages="ClientAuth"}`]: "31000000x120",
      },
      at: "90m",
      labels: { node: "workstation" },
    },
    // Renewed by a restart; and an authority is nothing that a restart mends.
    quiet: {
      series: {
        [`${LEFT},node="workstation",subject="CN=system:kube-controller-manager",usages="ClientAuth"}`]:
          "5097600x40 31536000x80",
        [`${LEFT},node="workstation",subject="CN=k3s-client-ca@1713205134",usages="CertSign"}`]: "5097600x120",
        'k3s_certificate_expiration_seconds{job="apiserver",subject="CN=system:kube-controller-manager",usages="ClientAuth"}':
          "5097600x120",
      },
      at: "90m",
    },
  },
};

const KUBELET = 'up{job="kubelet",metrics_path="/metrics"';

const unwatched: AlertRule = {
  alert: "ClusterCertificatesUnwatched",
  // A kubelet that does not answer is TargetDown's.
  expr: `max by (node) (${KUBELET}} == 1) unless on (node) ${LEFT}}`,
  for: "2h",
  severity: "warning",
  summary: "Nobody sees when the certificates of k3s on {{ $labels.node }} expire",
  description:
    "The kubelet of {{ $labels.node }} answers, but says nothing of k3s' certificates: ClusterCertificateExpiringSoon cannot fire for it. Look at their dates by hand.",
  cases: {
    fires: {
      series: {
        [`${KUBELET},node="workstation"}`]: "1x200",
        [`${KUBELET},node="office"}`]: "1x200",
        [`${LEFT},node="office",subject="CN=system:kube-controller-manager",usages="ClientAuth"}`]: "31000000x200",
        // Of the same process, but of no node.
        'k3s_certificate_expiration_seconds{job="apiserver",subject="CN=office",usages="ServerAuth"}': "31000000x200",
      },
      at: "150m",
      labels: { node: "workstation" },
    },
    // It says so an hour late; another is down, which is another alert.
    quiet: {
      series: {
        [`${KUBELET},node="workstation"}`]: "1x200",
        [`${KUBELET},node="office"}`]: "0x200",
        [`${LEFT},node="workstation",subject="CN=system:kube-controller-manager",usages="ClientAuth"}`]:
          "_x60 31000000x140",
      },
      at: "150m",
    },
  },
};

/** Of every platform: k3s may be what somebody else installed. */
export const clusterCertificates: RuleSubject = {
  subject: "cluster-certificates",
  recording: [],
  alerts: [expiring],
};

/** Where k3s is ours, silence is a fault; elsewhere it means another Kubernetes. */
export const k3sCertificates: RuleSubject = { subject: "k3s-certificates", recording: [], alerts: [unwatched] };
