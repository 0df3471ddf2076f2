/** Nodes that are gone, and GPUs that a node had. */
import { GPU_RESOURCES, NVIDIA_RESOURCES } from "./gpu-resources";
import type { AlertRule, RuleSubject } from "./types";

const READY = 'kube_node_status_condition{condition="Ready",status="true"}';
const ready = (node: string, samples: string) => ({
  [`kube_node_status_condition{node="${node}",condition="Ready",status="true"}`]: samples,
});

/** Nodes that somebody, or an upgrade of drivers or of the system, has cordoned: what is missing there is missing on purpose. */
const CORDONED = "max by (node) (kube_node_spec_unschedulable) > 0";
const cordoned = (node: string, samples: string) => ({ [`kube_node_spec_unschedulable{node="${node}"}`]: samples });

const nodeNotReady: AlertRule = {
  alert: "NodeNotReady",
  // A node that its cloud or its autoscaler takes away is deleted within minutes.
  expr: `max by (node) (${READY}) == 0 unless on (node) ${CORDONED}`,
  for: "6m",
  severity: "warning",
  summary: "Node {{ $labels.node }} does not answer",
  description:
    "For 6 minutes {{ $labels.node }} has not been ready. Pods of Deployments and groups start elsewhere; those of StatefulSets (the model store, Valkey, servers with a volume) stay Terminating, and their volumes attached, until somebody says that the machine is off.",
  cases: {
    fires: {
      series: { ...ready("gpu-1", "1x10 0x30"), ...ready("gpu-2", "1x40") },
      at: "20m",
      labels: { node: "gpu-1" },
    },
    // A reboot, a long one of a node that was drained for it, and a spot machine that was taken away.
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
/** For cases: GPUs of a node, or parts of them, by the device plugin: those it has, and those of them that are well. */
const gpus = (kind: "capacity" | "allocatable", node: string, samples: string, resource = "nvidia_com_gpu") => ({
  [`kube_node_status_${kind}{node="${node}",resource="${resource}",unit="integer"}`]: samples,
});

const gpuLost: AlertRule = {
  alert: "GpuLost",
  // A plugin that starts again counts a lost GPU no more: what the node has had is compared, for three days.
  expr: `
    max by (node, resource) (max_over_time(kube_node_status_capacity{${GPU_RESOURCES}}[3d])) - max by (node, resource) (kube_node_status_allocatable{${GPU_RESOURCES}}) > 0
    unless on (node) (${CORDONED})
    unless on (node) (max by (node) (${READY}) == 0)`,
  // After a reboot, or a new driver, the device plugin takes its minutes until it has counted them.
  for: "15m",
  severity: "warning",
  summary: "Node {{ $labels.node }} lacks {{ $value }} of its {{ $labels.resource }}",
  description:
    "For 15 minutes {{ $labels.node }} has offered {{ $value }} {{ $labels.resource }} fewer than it had in the last three days: the device plugin found them broken, or the driver finds them no more. Replicas that need them do not start there. Look at its XIDs.",
  cases: {
    fires: {
      // Whole GPUs beside it are all there.
      series: {
        ...gpus("capacity", "gpu-1", "8x40"),
        ...gpus("allocatable", "gpu-1", "8x40"),
        ...gpus("capacity", "gpu-1", "7x10 5x30", MIG),
        ...gpus("allocatable", "gpu-1", "7x5 5x35", MIG),
      },
      at: "30m",
      labels: { node: "gpu-1", resource: MIG },
    },
    // A plugin that starts anew says 0 for a while; a driver is upgraded on a node that was drained for it; a node reboots; one is gone.
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

/** Nodes and GPUs of every platform. */
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
  summary: "Nobody reads the GPUs of node {{ $labels.node }}",
  description:
    "For 15 minutes {{ $labels.node }} has offered {{ $value }} GPUs or parts of them, and its exporter has said nothing of them: XIDs, memory errors and heat there raise no alert. Look at the exporter's pod of that node.",
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
    // A new node, whose exporter comes later; one that is lost; one without GPUs.
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

/** Of platforms that bring NVIDIA's exporter themselves. */
export const gpuExporterAlerts: RuleSubject = {
  subject: "gpu-exporters",
  recording: [],
  alerts: [gpuMetricsMissing],
};
