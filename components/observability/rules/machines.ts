/** Lost nodes, and lost GPUs of nodes. */
import { GPU_RESOURCES, NVIDIA_RESOURCES } from "./gpu-resources";
import type { AlertRule, RuleSubject } from "./types";

const READY = 'kube_node_status_condition{condition="Ready",status="true"}';
const ready = (node: string, samples: string) => ({
  [`kube_node_status_condition{node="${node}",condition="Ready",status="true"}`]: samples,
});

/** Users and upgrades cordon nodes: absences there are intended. */
const CORDONED = "max by (node) (kube_node_spec_unschedulable) > 0";
const cordoned = (node: string, samples: string) => ({ [`kube_node_spec_unschedulable{node="${node}"}`]: samples });

const nodeNotReady: AlertRule = {
  alert: "NodeNotReady",
  // Clouds and autoscalers delete nodes within minutes.
  expr: `max by (node) (${READY}) == 0 unless on (node) ${CORDONED}`,
  for: "6m",
  severity: "warning",
  summary: "Node {{ $labels.node }} is not ready",
  description:
    "{{ $labels.node }} has not been ready for 6 minutes. Pods of Deployments and groups start elsewhere. Pods of StatefulSets (model store, Valkey, servers with a volume) stay Terminating with their volumes attached. Once the machine is off, add the taint node.kubernetes.io/out-of-service.",
  cases: {
    fires: {
      series: { ...ready("gpu-1", "1x10 0x30"), ...ready("gpu-2", "1x40") },
      at: "20m",
      labels: { node: "gpu-1" },
    },
    // A reboot; a long one of a drained node; a spot machine that was reclaimed.
    quiet: {
      series: {
        ...ready("gpu-1", "1x10 0x5 1x30"),
        ...ready("gpu-2", "1x5 0x40"),
        ...cordoned("gpu-2", "0x2 1x43"),
        ...ready("spot-1", "1x10 0x3 stale"),
      },
      at: "17m",
    },
  },
};

const MIG = "nvidia_com_mig_1g_10gb";
const TURNS = "nvidia_com_gpu_shared";
/** For cases: a node's GPUs or slices: all, and the healthy ones. */
const gpus = (kind: "capacity" | "allocatable", node: string, samples: string, resource = "nvidia_com_gpu") => ({
  [`kube_node_status_${kind}{node="${node}",resource="${resource}",unit="integer"}`]: samples,
});

const gpuLost: AlertRule = {
  alert: "GpuLost",
  // A restarted plugin does not count a lost GPU: compare with three days.
  expr: `
    max by (node, resource) (max_over_time(kube_node_status_capacity{${GPU_RESOURCES}}[3d])) - max by (node, resource) (kube_node_status_allocatable{${GPU_RESOURCES}}) > 0
    unless on (node) (${CORDONED})
    unless on (node) (max by (node) (${READY}) == 0)`,
  // After a reboot or driver change the plugin takes minutes.
  for: "15m",
  severity: "warning",
  summary: "Node {{ $labels.node }} lacks {{ $value }} of its {{ $labels.resource }}",
  description:
    "{{ $labels.node }} has offered {{ $value }} {{ $labels.resource }} fewer for 15 minutes than in the last three days. The device plugin reports them unhealthy, or the driver lost them. Replicas that need them do not start there. Check its XIDs.",
  cases: {
    fires: {
      // Whole GPUs are complete.
      series: {
        ...gpus("capacity", "gpu-1", "8x40"),
        ...gpus("allocatable", "gpu-1", "8x40"),
        ...gpus("capacity", "gpu-1", "7x10 5x30", MIG),
        ...gpus("allocatable", "gpu-1", "7x5 5x35", MIG),
      },
      at: "30m",
      labels: { node: "gpu-1", resource: MIG },
    },
    // A restarted plugin reports 0; a drained node's driver is upgraded; a reboot; a lost node.
    quiet: {
      series: {
        ...gpus("capacity", "gpu-1", "8x40"),
        ...gpus("allocatable", "gpu-1", "8x12 0x14 8x20"),
        ...gpus("capacity", "gpu-3", "8x40"),
        ...gpus("allocatable", "gpu-3", "8x5 0x35"),
        ...cordoned("gpu-3", "0x4 1x36"),
        ...gpus("capacity", "gpu-4", "8x40"),
        ...gpus("allocatable", "gpu-4", "8x5 0x35"),
        ...ready("gpu-4", "1x4 0x20 1x16"),
        ...gpus("capacity", "gpu-2", "8x10 stale"),
        ...gpus("allocatable", "gpu-2", "7x10 stale"),
      },
      at: "26m",
    },
  },
};

export const machines: RuleSubject = { subject: "machines", recording: [], alerts: [nodeNotReady, gpuLost] };

const TEMPERATURE =
  'DCGM_FI_DEV_GPU_TEMP{instance="10.0.0.1:9400",node="gpu-1",gpu="0",modelName="H100",namespace="model-chat",pod="chat-0"}';

const gpuMetricsMissing: AlertRule = {
  alert: "GpuMetricsMissing",
  expr: `
    max by (node) (kube_node_status_allocatable{resource=~"${NVIDIA_RESOURCES}"}) > 0
    and on (node) ${READY} > 0
    unless on (node) gpu_temperature_celsius`,
  for: "15m",
  severity: "warning",
  summary: "Node {{ $labels.node }} has no GPU metrics",
  description:
    "{{ $labels.node }} has offered {{ $value }} GPUs or slices for 15 minutes without metrics from its exporter. Its XIDs, memory errors and heat raise no alert. Check the exporter's pod on that node.",
  cases: {
    fires: {
      series: {
        ...gpus("allocatable", "gpu-1", "3x60", TURNS),
        ...ready("gpu-1", "1x60"),
        [TEMPERATURE]: "61x10 _x50",
      },
      at: "40m",
      labels: { node: "gpu-1" },
    },
    // A new node, whose exporter comes later; a lost one; one without GPUs.
    quiet: {
      series: {
        ...gpus("allocatable", "gpu-1", "_x10 8x50"),
        ...ready("gpu-1", "_x10 1x50"),
        [TEMPERATURE]: "_x20 61x40",
        ...gpus("allocatable", "gpu-2", "8x60"),
        ...ready("gpu-2", "0x60"),
        ...ready("system-1", "1x60"),
      },
      at: "40m",
    },
  },
};

/** For platforms that install NVIDIA's exporter. */
export const gpuExporterAlerts: RuleSubject = {
  subject: "gpu-exporters",
  recording: [],
  alerts: [gpuMetricsMissing],
};
