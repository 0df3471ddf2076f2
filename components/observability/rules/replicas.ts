import { deploymentSeries, modelNamespaceSeries, podSeries, REPLICAS, statefulSetSeries } from "./models";
import { overStart, plannedStartSeries } from "./starts";
import type { AlertRule, RecordingRule, RuleSubject } from "./types";

const OF_CHAT = { namespace: "model-chat", model: "chat" };
const GROUP_INDEX = "label_leaderworkerset_sigs_k8s_io_group_index";
const WORKER_INDEX = "label_leaderworkerset_sigs_k8s_io_worker_index";

export const DUE = "inference:due_replicas:count";

const due: RecordingRule = {
  record: DUE,
  // Due: wanted for the whole range, or ready in it. A removed model has only a past.
  expr: overStart(
    (range) =>
      `((min_over_time(${REPLICAS.wanted}[${range}]) and ${REPLICAS.wanted} and (${REPLICAS.wanted} offset ${range} or max_over_time(${REPLICAS.ready}[${range}]) > 0)) or 0 * ${REPLICAS.wanted})`,
  ),
  about:
    "Replicas that have been wanted for as long as one takes to start; 0 of a model that wakes, or starts for the first time.",
  cases: {
    gives: {
      series: {
        ...modelNamespaceSeries("chat", "1x60"),
        ...deploymentSeries("chat", "2x40 4x20"),
        ...modelNamespaceSeries("slow", "1x60"),
        ...deploymentSeries("slow", "0x20 1x40"),
        ...plannedStartSeries("slow", 3000),
        ...modelNamespaceSeries("gone", "1x60"),
        ...deploymentSeries("gone", "2x44 _x16"),
        ...modelNamespaceSeries("new", "_x40 1x20"),
        ...deploymentSeries("new", "_x40 2x20"),
        ...plannedStartSeries("new", 1100),
        ...modelNamespaceSeries("quick", "_x40 1x20"),
        ...deploymentSeries("quick", "_x40 2x20"),
        ...podSeries("quick", "quick-0", "_x45 1x15"),
        ...plannedStartSeries("quick", 1100),
      },
      at: "55m",
      samples: {
        [`${DUE}{namespace="model-chat",model="chat"}`]: 4,
        [`${DUE}{namespace="model-slow",model="slow"}`]: 0,
        [`${DUE}{namespace="model-new",model="new"}`]: 0,
        [`${DUE}{namespace="model-quick",model="quick"}`]: 2,
      },
    },
  },
};

const unavailable: AlertRule = {
  alert: "ModelUnavailable",
  // Models that sleep, stop or wake have no due replica.
  expr: `${DUE} > 0 unless ${REPLICAS.ready} > 0`,
  for: "5m",
  severity: "critical",
  summary: "No replica of model {{ $labels.model }} is ready",
  description:
    "Replicas are wanted in namespace {{ $labels.namespace }}, but none has been ready for 5 minutes: requests for {{ $labels.model }} fail. Check the pods' events first.",
  cases: {
    fires: {
      series: {
        ...modelNamespaceSeries("chat", "1x60"),
        ...deploymentSeries("chat", "2x60"),
        ...podSeries("chat", "chat-0", "0x60"),
        ...podSeries("chat", "pull", "1x60", { label_batch_kubernetes_io_job_name: "pull" }),
        // Hangs, was deleted, and stays Ready for the hour of a drain.
        ...podSeries("chat", "chat-1", "1x60"),
        'kube_pod_deletion_timestamp{namespace="model-chat",pod="chat-1"}': "1790000000x60",
        // A mesh proxy is Ready, but no replica.
        'kube_pod_status_ready{namespace="model-chat",pod="waypoint",condition="true"}': "1x60",
        'kube_pod_labels{namespace="model-chat",pod="waypoint"}': "1x60",
      },
      at: "20m",
      labels: OF_CHAT,
    },
    // One of two is ready; one sleeps; one wakes; a sleeping group's workers end; a group answers.
    quiet: {
      series: {
        ...modelNamespaceSeries("chat", "1x60"),
        ...deploymentSeries("chat", "2x60"),
        ...podSeries("chat", "chat-0", "1x60"),
        ...modelNamespaceSeries("asleep", "1x60"),
        ...statefulSetSeries("asleep", "model-asleep", "0x60"),
        ...modelNamespaceSeries("wakes", "1x60"),
        ...deploymentSeries("wakes", "0x10 1x50"),
        ...podSeries("wakes", "wakes-0", "_x12 0x48"),
        ...plannedStartSeries("wakes", 2000),
        ...modelNamespaceSeries("sleepy", "1x60"),
        ...statefulSetSeries("sleepy", "model-sleepy", "0x60"),
        ...statefulSetSeries("sleepy", "model-sleepy-0", "1x60", { [GROUP_INDEX]: "0" }),
        ...modelNamespaceSeries("wide", "1x60"),
        ...statefulSetSeries("wide", "model-wide", "1x60"),
        ...podSeries("wide", "model-wide-0", "1x60", { [WORKER_INDEX]: "0" }),
      },
      at: "35m",
    },
  },
};

const bestReady = overStart((range) => `max_over_time(${REPLICAS.ready}[${range}])`);

const replicaLost: AlertRule = {
  alert: "ReplicaLost",
  // The best count within a start: pods replaced one by one were ready in between.
  expr: `${DUE} - on (namespace, model) (${bestReady}) > 0 and on (namespace, model) ${REPLICAS.ready} > 0`,
  for: "5m",
  severity: "warning",
  summary: "{{ $value }} replicas of model {{ $labels.model }} are missing",
  description:
    "{{ $labels.model }} has lacked {{ $value }} of its wanted replicas for longer than a start takes; a multi-node group counts as one. The other replicas answer more slowly. Check the pods that are not ready.",
  cases: {
    fires: {
      series: {
        ...modelNamespaceSeries("chat", "1x90"),
        // One of three groups lost a node.
        ...statefulSetSeries("chat", "model-chat", "3x90"),
        ...statefulSetSeries("chat", "model-chat-2", "1x90", { [GROUP_INDEX]: "2" }),
        ...podSeries("chat", "model-chat-0", "1x90", { [WORKER_INDEX]: "0" }),
        ...podSeries("chat", "model-chat-1", "1x90", { [WORKER_INDEX]: "0" }),
        ...podSeries("chat", "model-chat-2", "1x20 0x70", { [WORKER_INDEX]: "0" }),
        ...podSeries("chat", "model-chat-2-1", "1x20 0x20 1x50", { [WORKER_INDEX]: "1" }),
        ...plannedStartSeries("chat", 1100),
      },
      at: "60m",
      labels: OF_CHAT,
    },
    // One restarts; two more wait for a node.
    quiet: {
      series: {
        ...modelNamespaceSeries("chat", "1x90"),
        ...statefulSetSeries("chat", "model-chat", "2x90"),
        ...podSeries("chat", "model-chat-0", "1x90"),
        ...podSeries("chat", "model-chat-1", "1x40 0x17 1x33"),
        ...plannedStartSeries("chat", 1100),
        ...modelNamespaceSeries("grows", "1x90"),
        ...deploymentSeries("grows", "1x40 3x50"),
        ...podSeries("grows", "grows-0", "1x90"),
        ...podSeries("grows", "grows-1", "_x45 0x12 1x33"),
        ...podSeries("grows", "grows-2", "_x45 0x45"),
        ...plannedStartSeries("grows", 2000),
      },
      at: "60m",
    },
  },
};

export const replicas: RuleSubject = { subject: "replicas", recording: [due], alerts: [unavailable, replicaLost] };
