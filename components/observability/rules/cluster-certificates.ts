import type { AlertRule, RuleSubject } from "./types";

/**
 * Seconds left, updated twice an hour (k3s-io/k3s pkg/certmonitor/certmonitor.go). The API server
 * reports the same registry without a node (k3s-io/docs, reference/metrics.md): only the kubelet's
 * is read.
 */
const LEFT = 'k3s_certificate_expiration_seconds{job="kubelet"';

/** k3s renews at a start within the last 120 days: 60 leave two months to plan a restart. */
const REMIND_DAYS = 60;

const expiring: AlertRule = {
  alert: "ClusterCertificateExpiringSoon",
  // A CA lasts ten years, and no restart renews it.
  expr: `min by (node) (${LEFT},usages!~".*CertSign.*"}) < ${REMIND_DAYS} * 86400`,
  for: "15m",
  severity: "warning",
  summary: "Certificates of k3s on {{ $labels.node }} expire in {{ $value | humanizeDuration }}",
  description:
    "k3s renews its certificates only when it starts, and has run on {{ $labels.node }} for months. When they expire, the API server refuses every client. Restart k3s there in working hours, and read the kubeconfig again.",
  cases: {
    // The kubelet's certificate is younger than the controllers': the oldest counts.
    fires: {
      series: {
        [`${LEFT},node="workstation",subject="CN=system:kube-controller-manager",usages="ClientAuth"}`]: "5097600x120",
        [`${LEFT},node="workstation",subject="CN=workstation",usages="ServerAuth"}`]: "5184000x120",
        [`${LEFT},node="office",subject="CN=system:kube-controller-manager",usages="ClientAuth"}`]: "31000000x120",
      },
      at: "90m",
      labels: { node: "workstation" },
    },
    // A restart renewed it; a CA does not renew.
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
  summary: "The certificates of k3s on {{ $labels.node }} have no known expiry date",
  description:
    "The kubelet of {{ $labels.node }} answers without metrics of k3s' certificates: ClusterCertificateExpiringSoon cannot fire for it. Check the dates by hand.",
  cases: {
    fires: {
      series: {
        [`${KUBELET},node="workstation"}`]: "1x200",
        [`${KUBELET},node="office"}`]: "1x200",
        [`${LEFT},node="office",subject="CN=system:kube-controller-manager",usages="ClientAuth"}`]: "31000000x200",
        // Of the same process, without a node.
        'k3s_certificate_expiration_seconds{job="apiserver",subject="CN=office",usages="ServerAuth"}': "31000000x200",
      },
      at: "150m",
      labels: { node: "workstation" },
    },
    // Reports after an hour; another is down, which is another alert.
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

/** Any cluster may run k3s. */
export const clusterCertificates: RuleSubject = {
  subject: "cluster-certificates",
  recording: [],
  alerts: [expiring],
};

/** No series is a fault only where the platform installed k3s. */
export const k3sCertificates: RuleSubject = { subject: "k3s-certificates", recording: [], alerts: [unwatched] };
