import { MODEL_CONTROL_NAMESPACE, MODEL_STORE_NAMESPACE } from "../../../names/namespaces";
import { MODEL_NAMESPACE_SERIES } from "../../../names/recorded-series";
import { UNCERTIFIED } from "../../../planner/fabric-gate";
import { DISK_FREE_LIMIT, STORE_FREE_LIMIT, VOLUME_FREE_LIMIT } from "./limits";
import { modelNamespaceSeries, podSeries } from "./models";
import type { AlertRule, RuleSubject } from "./types";

const modelStoreFull: AlertRule = {
  alert: "ModelStoreFull",
  expr: `
    min by (namespace) (minio_cluster_capacity_usable_free_bytes / minio_cluster_capacity_usable_total_bytes) < ${STORE_FREE_LIMIT}`,
  for: "10m",
  severity: "warning",
  summary: "The model store has {{ $value | humanizePercentage }} of its space left",
  description:
    "The object store in {{ $labels.namespace }} has less than 10 % free: the next model cannot be synchronised. Remove models that are not served, or raise the store's size.",
  cases: {
    fires: {
      series: {
        'minio_cluster_capacity_usable_free_bytes{namespace="model-store",pod="minio-0"}': "5e9x30",
        'minio_cluster_capacity_usable_total_bytes{namespace="model-store",pod="minio-0"}': "100e9x30",
      },
      at: "20m",
      labels: { namespace: "model-store" },
    },
    quiet: {
      series: {
        'minio_cluster_capacity_usable_free_bytes{namespace="model-store",pod="minio-0"}': "30e9x30",
        'minio_cluster_capacity_usable_total_bytes{namespace="model-store",pod="minio-0"}': "100e9x30",
      },
      at: "20m",
    },
  },
};

const STORE = `namespace="${MODEL_STORE_NAMESPACE}",statefulset="minio"`;

const modelStoreDown: AlertRule = {
  alert: "ModelStoreDown",
  expr: `max by (namespace) (kube_statefulset_status_replicas_ready{${STORE}}) == 0`,
  for: "5m",
  severity: "critical",
  summary: "The model store has not answered for 5 minutes",
  description:
    "The single pod of the object store in {{ $labels.namespace }} is not ready. Running models continue; none starts, scales or moves, so a lost node loses its replicas. Check the pod's events: its volume is bound to one zone.",
  cases: {
    fires: {
      series: { [`kube_statefulset_status_replicas_ready{${STORE}}`]: "1x5 0x25" },
      at: "20m",
      labels: { namespace: "model-store" },
    },
    // Restarts within minutes; another StatefulSet is no store.
    quiet: {
      series: {
        [`kube_statefulset_status_replicas_ready{${STORE}}`]: "1x5 0x4 1x20",
        'kube_statefulset_status_replicas_ready{namespace="model-store",statefulset="other"}': "0x30",
      },
      at: "20m",
    },
  },
};

const CERTIFICATE = 'namespace="cert-manager",exported_namespace="gateway",name="tls"';

const certificateExpiring: AlertRule = {
  alert: "CertificateExpiringSoon",
  // Alerts after half of the renewal time: 15 of the last 30 days of 90, the last of 7.
  // `exported_namespace` is the certificate's own.
  expr: `
    min by (exported_namespace, name) (certmanager_certificate_expiration_timestamp_seconds) - time()
      < min by (exported_namespace, name) (
          certmanager_certificate_expiration_timestamp_seconds - certmanager_certificate_renewal_timestamp_seconds) / 2`,
  for: "15m",
  severity: "warning",
  summary: "Certificate {{ $labels.exported_namespace }}/{{ $labels.name }} expires in {{ $value | humanizeDuration }}",
  description:
    "cert-manager should have renewed {{ $labels.exported_namespace }}/{{ $labels.name }} by now. Check the Certificate's conditions and its newest CertificateRequest.",
  cases: {
    fires: {
      series: {
        [`certmanager_certificate_expiration_timestamp_seconds{${CERTIFICATE}}`]: "604800x120",
        [`certmanager_certificate_renewal_timestamp_seconds{${CERTIFICATE}}`]: "-1987200x120",
      },
      at: "90m",
      labels: { exported_namespace: "gateway", name: "tls" },
    },
    quiet: {
      series: {
        // A week long, like a private CA's: renewed in two days and eight hours.
        [`certmanager_certificate_expiration_timestamp_seconds{${CERTIFICATE}}`]: "302400x120",
        [`certmanager_certificate_renewal_timestamp_seconds{${CERTIFICATE}}`]: "100800x120",
      },
      at: "90m",
    },
  },
};

const VOLUME = 'namespace="model-store",persistentvolumeclaim="data-minio-0"';

/** Claims with weights may be full. */
const READ_ONLY = 'kube_persistentvolumeclaim_access_mode{access_mode="ReadOnlyMany"}';
const WEIGHTS = VOLUME.replace("data-minio-0", "weights");

const volumeFilling: AlertRule = {
  alert: "PersistentVolumeFilling",
  expr: `
    min by (namespace, persistentvolumeclaim) (kubelet_volume_stats_available_bytes / kubelet_volume_stats_capacity_bytes) < ${VOLUME_FREE_LIMIT}
    unless on (namespace, persistentvolumeclaim) ${READ_ONLY} == 1`,
  for: "15m",
  severity: "warning",
  summary:
    "Volume {{ $labels.namespace }}/{{ $labels.persistentvolumeclaim }} has {{ $value | humanizePercentage }} left",
  description:
    "Less than 10 % of the claim {{ $labels.persistentvolumeclaim }} is free. A full volume stops its writers: expand the claim or free space.",
  cases: {
    fires: {
      series: {
        [`kubelet_volume_stats_available_bytes{${VOLUME}}`]: "4e9x40",
        [`kubelet_volume_stats_capacity_bytes{${VOLUME}}`]: "100e9x40",
      },
      at: "30m",
      labels: { namespace: "model-store", persistentvolumeclaim: "data-minio-0" },
    },
    quiet: {
      series: {
        [`kubelet_volume_stats_available_bytes{${VOLUME}}`]: "25e9x40",
        [`kubelet_volume_stats_capacity_bytes{${VOLUME}}`]: "100e9x40",
        [`kubelet_volume_stats_available_bytes{${WEIGHTS}}`]: "1e9x40",
        [`kubelet_volume_stats_capacity_bytes{${WEIGHTS}}`]: "100e9x40",
        [READ_ONLY.replace("{", `{${WEIGHTS},`)]: "1x40",
      },
      at: "30m",
    },
  },
};

const DISK = 'instance="10.0.0.7:9100",device="/dev/nvme0n1p1",fstype="ext4",mountpoint="/"';

/** Node folders (k3s's local-path) have no series: they fill the node's disk. */
const nodeDiskFilling: AlertRule = {
  alert: "NodeDiskFilling",
  expr: `
    min by (instance, device) (
      node_filesystem_avail_bytes{device=~"/dev/.+",fstype!~"squashfs|iso9660"}
        / node_filesystem_size_bytes{device=~"/dev/.+",fstype!~"squashfs|iso9660"}
    ) < ${DISK_FREE_LIMIT}`,
  for: "15m",
  severity: "warning",
  summary: "Disk {{ $labels.device }} of node {{ $labels.instance }} has {{ $value | humanizePercentage }} left",
  description:
    "Less than 15 % of {{ $labels.device }} is free. At 10 % the kubelet evicts pods; where volumes are node folders (local-path), their writers stop too. Remove unused images and models, or enlarge the disk.",
  cases: {
    fires: {
      series: {
        [`node_filesystem_avail_bytes{${DISK}}`]: "120e9x40",
        [`node_filesystem_size_bytes{${DISK}}`]: "1000e9x40",
      },
      at: "30m",
      labels: { instance: "10.0.0.7:9100", device: "/dev/nvme0n1p1" },
    },
    quiet: {
      series: {
        [`node_filesystem_avail_bytes{${DISK}}`]: "200e9x40",
        [`node_filesystem_size_bytes{${DISK}}`]: "1000e9x40",
      },
      at: "30m",
    },
  },
};

/** Starting pods load weights or fail, which alerts on replicas cover. */
const STARTING = `(kube_pod_status_ready{condition="true"} == 0 and on (namespace) ${MODEL_NAMESPACE_SERIES})`;
const due = (up: string) => `count by (namespace, job) (${up} unless on (namespace, pod) ${STARTING})`;

const targetDown: AlertRule = {
  alert: "TargetDown",
  expr: `${due("up == 0")} / ${due("up")} > 0.1`,
  for: "10m",
  severity: "warning",
  summary: "{{ $value | humanizePercentage }} of the targets of {{ $labels.job }} cannot be scraped",
  description:
    "Prometheus gets no metrics from {{ $labels.job }} (namespace {{ $labels.namespace }}): its alerts cannot fire. The pod is down, the port is wrong, or a NetworkPolicy blocks Prometheus.",
  cases: {
    fires: {
      series: {
        'up{namespace="model-chat",job="observability/model-chat",pod="chat-0"}': "0x30",
        'up{namespace="model-chat",job="observability/model-chat",pod="chat-1"}': "1x30",
      },
      at: "20m",
      labels: { namespace: "model-chat", job: "observability/model-chat" },
    },
    // Both are scraped; one replica of another model is, and two load for longer than the alert
    // waits.
    quiet: {
      series: {
        ...modelNamespaceSeries("grows", "1x30"),
        ...podSeries("grows", "grows-0", "1x30"),
        ...podSeries("grows", "grows-1", "0x30"),
        ...podSeries("grows", "grows-2", "0x30"),
        'up{namespace="model-grows",job="observability/models",pod="grows-0"}': "1x30",
        'up{namespace="model-grows",job="observability/models",pod="grows-1"}': "0x30",
        'up{namespace="model-grows",job="observability/models",pod="grows-2"}': "0x30",
        'up{namespace="model-chat",job="observability/model-chat",pod="chat-0"}': "1x30",
        'up{namespace="model-chat",job="observability/model-chat",pod="chat-1"}': "1x30",
      },
      at: "20m",
    },
  },
};

/** Only the platform's namespaces. */
const PLATFORM_JOBS = `namespace=~"${MODEL_STORE_NAMESPACE}|${MODEL_CONTROL_NAMESPACE}"`;

const platformJobFailed: AlertRule = {
  alert: "PlatformJobFailed",
  expr: `max by (namespace, job_name) (kube_job_failed{${PLATFORM_JOBS},condition="true"}) > 0`,
  for: "1m",
  severity: "warning",
  summary: "Job {{ $labels.namespace }}/{{ $labels.job_name }} failed",
  description:
    "The Job's work is not done: sync-* copies a model into the store, provisioning creates the store's buckets and users, warm-models fetches models at run time. The last lines of its log name the cause.",
  cases: {
    fires: {
      series: {
        'kube_job_failed{namespace="model-control",job_name="warm-models",condition="true"}': "0x4 1x15",
        'kube_job_failed{namespace="model-control",job_name="warm-models",condition="false"}': "0x20",
      },
      at: "10m",
      labels: { namespace: "model-control", job_name: "warm-models" },
    },
    quiet: {
      series: {
        'kube_job_failed{namespace="model-store",job_name="sync-chat",condition="false"}': "1x20",
        'kube_job_failed{namespace="model-store",job_name="sync-chat",condition="true"}': "0x20",
        'kube_job_failed{namespace="elsewhere",job_name="backup",condition="true"}': "1x20",
      },
      at: "10m",
    },
  },
};

const nodeUncertified: AlertRule = {
  alert: "NodeUncertified",
  expr: `max by (node) (kube_node_spec_taint{key="${UNCERTIFIED.key}"}) > 0`,
  for: "1h",
  severity: "warning",
  summary: "Node {{ $labels.node }} has no certificate for its RDMA network",
  description:
    "No model runs on {{ $labels.node }} until its RDMA network passes a trial. Its annotation inference-stacks.io/fabric-trial has the result of the last one.",
  cases: {
    fires: {
      series: {
        'kube_node_spec_taint{node="h100-2",key="startup-taint.cluster-autoscaler.kubernetes.io/uncertified",value="",effect="NoSchedule"}':
          "1x90",
        'kube_node_spec_taint{node="h100-1",key="nvidia.com/gpu",value="",effect="NoSchedule"}': "1x90",
      },
      at: "80m",
      labels: { node: "h100-2" },
    },
    quiet: {
      series: {
        'kube_node_spec_taint{node="h100-2",key="startup-taint.cluster-autoscaler.kubernetes.io/uncertified",value="",effect="NoSchedule"}':
          "1x30",
        'kube_node_spec_taint{node="h100-1",key="nvidia.com/gpu",value="",effect="NoSchedule"}': "1x90",
      },
      at: "80m",
    },
  },
};

export const platform: RuleSubject = {
  subject: "platform",
  recording: [],
  alerts: [
    modelStoreDown,
    modelStoreFull,
    certificateExpiring,
    volumeFilling,
    nodeDiskFilling,
    nodeUncertified,
    targetDown,
    platformJobFailed,
  ],
};
