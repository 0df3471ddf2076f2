import { SIGNAL_SERIES } from "../../../names/recorded-series";
import { CPU_QUEUE_LIMIT } from "./limits";
import { answeringPods, modelNamespaceSeries, ofModels, podSeries } from "./models";
import type { AlertRule, RecordingRule, RuleSubject } from "./types";

/** node-exporter's series name its pod; kube-state-metrics has the pod's node. */
const NODE_OF_POD = 'max by (namespace, pod, node) (kube_pod_info{node!=""})';

const OF_NODES = "inference:node_cpu_queue:length";

/** For cases: one CPU of a node, and where node-exporter's pod is. */
function nodeSeries(node: string, seconds: string, cpu = "0") {
  const exporter = `namespace="node-metrics",pod="exporter-${node}"`;
  return {
    [`node_schedstat_waiting_seconds_total{${exporter},instance="${node}:9100",cpu="${cpu}"}`]: seconds,
    [`kube_pod_info{${exporter},node="${node}"}`]: "1x400",
  };
}

const ofNodes: RecordingRule = {
  record: OF_NODES,
  // Seconds waited per second, summed over CPUs: run_delay (torvalds/linux
  // Documentation/scheduler/sched-stats.rst; node_exporter 1.12 collector/schedstat_linux.go).
  expr: `sum by (node) (rate(node_schedstat_waiting_seconds_total[5m]) * on (namespace, pod) group_left (node) ${NODE_OF_POD})`,
  about: "Tasks of a node that could run and waited for a CPU, on average over 5 minutes.",
  cases: {
    gives: {
      series: { ...nodeSeries("gpu-1", "0+120x20", "0"), ...nodeSeries("gpu-1", "0+60x20", "1") },
      at: "15m",
      samples: { [`${OF_NODES}{node="gpu-1"}`]: 3 },
    },
  },
};

const ofEachModel: RecordingRule = {
  record: SIGNAL_SERIES.cpuQueue,
  // One series per model, whatever the autoscaler's aggregation.
  expr: `max by (namespace, model) (${ofModels(
    `max by (namespace, node) (kube_pod_info{node!=""} * on (namespace, pod) group_left () ${answeringPods}) * on (node) group_left () ${OF_NODES}`,
  )})`,
  about: "Tasks that waited for a CPU, on average over 5 minutes, on the node of a model's replicas where most did.",
  cases: {
    gives: {
      series: {
        ...nodeSeries("gpu-1", "0+360x20"),
        ...nodeSeries("system-1", "0+600x20"),
        ...modelNamespaceSeries("chat", "1x20"),
        ...podSeries("chat", "chat-0", "1x20"),
        'kube_pod_info{namespace="model-chat",pod="chat-0",node="gpu-1"}': "1x20",
        ...nodeSeries("gpu-2", "0+60x20"),
        ...podSeries("chat", "chat-1", "1x20"),
        'kube_pod_info{namespace="model-chat",pod="chat-1",node="gpu-2"}': "1x20",
        ...podSeries("chat", "pull", "0x20", { label_batch_kubernetes_io_job_name: "pull" }),
        'kube_pod_info{namespace="model-chat",pod="pull",node="system-1"}': "1x20",
      },
      at: "15m",
      samples: { 'cpu_queue_length{namespace="model-chat",model="chat"}': 6 },
    },
  },
};

const long: AlertRule = {
  alert: "CpuQueueLong",
  expr: `${OF_NODES} > ${CPU_QUEUE_LIMIT}`,
  for: "10m",
  severity: "warning",
  summary: "{{ $value | humanize }} tasks of node {{ $labels.node }} wait for a CPU",
  description:
    "More than 100 tasks of {{ $labels.node }} have waited for a CPU for 10 minutes. Everything on it answers late, and GPUs wait for input. Find the pods that use most CPU.",
  cases: {
    fires: { series: nodeSeries("gpu-1", "0+7200x40"), at: "20m", labels: { node: "gpu-1" } },
    // Busy: four tasks wait for each of 16 CPUs.
    quiet: { series: nodeSeries("gpu-1", "0+3840x40"), at: "20m" },
  },
};

export const cpuQueue: RuleSubject = { subject: "cpu-queue", recording: [ofNodes, ofEachModel], alerts: [long] };
