import { MODEL_CONTROL_NAMESPACE } from "../../names/namespaces";
import { MODEL_CONTROL, QUEUE } from "../../names/services";
import type { AlertRule, RuleSubject } from "../observability/rules/types";
import { inferenceAlerts } from "./inference-alerts";

const API = `namespace="${MODEL_CONTROL_NAMESPACE}",deployment="${MODEL_CONTROL}"`;
const QUEUE_SET = `namespace="${MODEL_CONTROL_NAMESPACE}",statefulset="${QUEUE}"`;

const apiDown: AlertRule = {
  alert: "ModelControlDown",
  expr: `
    max by (namespace, deployment) (kube_deployment_status_replicas_available{${API}}) == 0
    and max by (namespace, deployment) (kube_deployment_spec_replicas{${API}}) > 0`,
  for: "5m",
  // Models keep answering without it.
  severity: "warning",
  summary: "No replica of the model control API is available",
  description:
    "Models answer as before, but none can be fetched, loaded, stopped or started, and no task goes on. Look at the events and logs of its pods in {{ $labels.namespace }}.",
  cases: {
    fires: {
      series: {
        [`kube_deployment_status_replicas_available{${API}}`]: "0x20",
        [`kube_deployment_spec_replicas{${API}}`]: "2x20",
      },
      at: "10m",
      labels: { namespace: MODEL_CONTROL_NAMESPACE, deployment: MODEL_CONTROL },
    },
    quiet: {
      series: {
        [`kube_deployment_status_replicas_available{${API}}`]: "1x20",
        [`kube_deployment_spec_replicas{${API}}`]: "2x20",
      },
      at: "10m",
    },
  },
};

const queueDown: AlertRule = {
  alert: "ModelControlQueueDown",
  expr: `max by (namespace, statefulset) (kube_statefulset_status_replicas_ready{${QUEUE_SET}}) == 0`,
  for: "5m",
  severity: "warning",
  summary: "Valkey, the task queue of the model control API, is not ready",
  description:
    "The API answers every request for a task with 503. No task is lost while the volume is whole: they go on when Valkey is back.",
  cases: {
    fires: {
      series: { [`kube_statefulset_status_replicas_ready{${QUEUE_SET}}`]: "0x20" },
      at: "10m",
      labels: { namespace: MODEL_CONTROL_NAMESPACE, statefulset: QUEUE },
    },
    quiet: {
      series: { [`kube_statefulset_status_replicas_ready{${QUEUE_SET}}`]: "1x20" },
      at: "10m",
    },
  },
};

const queueUnreachable: AlertRule = {
  alert: "ModelControlQueueUnreachable",
  expr: "min by (namespace, pod) (model_control_queue_up) == 0",
  for: "5m",
  severity: "warning",
  summary: "{{ $labels.pod }} of the model control API cannot use its task queue",
  description:
    "This replica refuses every request for a task and works on none. Wrong password after a rotation, a missing NetworkPolicy, or Valkey itself: gone, or full.",
  cases: {
    fires: {
      series: { 'model_control_queue_up{namespace="model-control",pod="api-0"}': "0x20" },
      at: "10m",
      labels: { namespace: "model-control", pod: "api-0" },
    },
    quiet: {
      series: { 'model_control_queue_up{namespace="model-control",pod="api-0"}': "0x2 1x18" },
      at: "10m",
    },
  },
};

const queueFilling: AlertRule = {
  alert: "ModelControlQueueFilling",
  // Without a limit the second series is 0.
  expr: `
    max by (namespace) (model_control_queue_memory_used_bytes)
      / (max by (namespace) (model_control_queue_memory_limit_bytes) > 0) > 0.8`,
  for: "5m",
  severity: "warning",
  summary: "The task queue of the model control API has used {{ $value | humanizePercentage }} of its memory",
  description:
    "Valkey gives no entry up to make room. From 85 % on the API takes no prompts, from 90 % on no pulls and loads; stops, starts and cancelling are always taken. Prompts and answers of asynchronous inference take most, where it is on; all other tasks a few megabytes in all.",
  cases: {
    fires: {
      series: {
        'model_control_queue_memory_used_bytes{namespace="model-control",pod="api-0"}': "170e6x20",
        'model_control_queue_memory_limit_bytes{namespace="model-control",pod="api-0"}': "201e6x20",
      },
      at: "10m",
      labels: { namespace: "model-control" },
    },
    quiet: {
      series: {
        'model_control_queue_memory_used_bytes{namespace="model-control",pod="api-0"}': "150e6x20",
        'model_control_queue_memory_limit_bytes{namespace="model-control",pod="api-0"}': "201e6x20",
        'model_control_queue_memory_used_bytes{namespace="elsewhere",pod="api-0"}': "900e6x20",
        'model_control_queue_memory_limit_bytes{namespace="elsewhere",pod="api-0"}': "0x20",
      },
      at: "10m",
    },
  },
};

const tasksStalled: AlertRule = {
  alert: "ModelControlTasksStalled",
  // Every replica reports the whole queue.
  expr: `
    max by (namespace) (model_control_tasks{state="queued"}) > 0
    unless on (namespace) max by (namespace) (model_control_tasks{state="running"}) > 0`,
  for: "10m",
  severity: "warning",
  summary: "{{ $value }} tasks of the model control API wait, and none runs",
  description:
    "Tasks were accepted and not started: the replicas have lost their place at the queue. Models that were asked for do not come.",
  cases: {
    fires: {
      series: {
        'model_control_tasks{namespace="model-control",pod="api-0",state="queued"}': "2x30",
        'model_control_tasks{namespace="model-control",pod="api-0",state="running"}': "0x30",
      },
      at: "20m",
      labels: { namespace: "model-control" },
    },
    quiet: {
      series: {
        'model_control_tasks{namespace="model-control",pod="api-0",state="queued"}': "2x30",
        'model_control_tasks{namespace="model-control",pod="api-0",state="running"}': "1x30",
      },
      at: "20m",
    },
  },
};

const tasksFailing: AlertRule = {
  alert: "ModelControlTasksFailing",
  // Excludes inference tasks, which may fail because of the prompt: ModelControlInferenceFailing
  // counts prompts instead.
  expr: 'sum by (namespace, kind) (increase(model_control_tasks_finished_total{kind!="inference",outcome="failed"}[1h])) >= 3',
  for: "5m",
  severity: "warning",
  summary: "{{ $value | humanize }} {{ $labels.kind }} tasks of the model control API failed in an hour",
  description:
    "Each of them was tried several times. Its error is in GET /tasks: a registry that does not answer, no room on any worker, or an engine that refuses.",
  cases: {
    fires: {
      series: {
        'model_control_tasks_finished_total{namespace="model-control",kind="pull",outcome="failed"}': "0+1x60",
      },
      at: "30m",
      labels: { namespace: "model-control", kind: "pull" },
    },
    quiet: {
      series: {
        'model_control_tasks_finished_total{namespace="model-control",kind="pull",outcome="failed"}': "0x20 1x40",
        'model_control_tasks_finished_total{namespace="model-control",kind="pull",outcome="completed"}': "0+1x60",
        'model_control_tasks_finished_total{namespace="model-control",kind="inference",outcome="failed"}': "0+1x60",
      },
      at: "30m",
    },
  },
};

const REFUSED = 'model_control_tasks_refused_total{namespace="model-control",pod="api-0",kind="pull"';

const tasksRefused: AlertRule = {
  alert: "ModelControlTasksRefused",
  // An inference task that waits for room retries every few seconds: one task alone has 180
  // refusals.
  expr: "sum by (namespace, owner, reason) (increase(model_control_tasks_refused_total[15m])) >= 20",
  for: "5m",
  severity: "warning",
  summary:
    "The model control API refused {{ $value | humanize }} tasks of {{ $labels.owner }} in a quarter of an hour ({{ $labels.reason }})",
  description:
    "Reason owner: this caller has as many pulls, loads or wakings unfinished as one may have; others are served. Reason all: all callers together have; memory: nine tenths of Valkey's memory are used. Stops, starts and cancelling are always taken.",
  cases: {
    fires: {
      series: { [`${REFUSED},reason="owner",owner="tenant:a"}`]: "0+5x40" },
      at: "30m",
      labels: { namespace: "model-control", owner: "tenant:a", reason: "owner" },
    },
    quiet: {
      series: {
        [`${REFUSED},reason="owner",owner="tenant:a"}`]: "0x10 10x30",
        [`${REFUSED},reason="all",owner="tenant:b"}`]: "0x10 10x30",
      },
      at: "20m",
    },
  },
};

const workerUnreachable: AlertRule = {
  alert: "ModelControlWorkerUnreachable",
  expr: 'max by (namespace, worker) (model_control_worker_state{state="unreachable"}) == 1',
  for: "15m",
  severity: "warning",
  summary: "The model control API does not reach the worker {{ $labels.worker }}",
  description:
    "It was not stopped through the API, it does not sleep, and its engine has not answered for 15 minutes: its models can neither be loaded nor seen.",
  cases: {
    fires: {
      series: { 'model_control_worker_state{namespace="model-control",worker="chat",state="unreachable"}': "1x40" },
      at: "30m",
      labels: { namespace: "model-control", worker: "chat" },
    },
    quiet: {
      series: {
        'model_control_worker_state{namespace="model-control",worker="chat",state="stopped"}': "1x40",
        'model_control_worker_state{namespace="model-control",worker="night",state="asleep"}': "1x40",
      },
      at: "30m",
    },
  },
};

export const modelControlAlerts: RuleSubject = {
  subject: "model-control",
  recording: [],
  alerts: [
    ...[
      apiDown,
      queueDown,
      queueUnreachable,
      queueFilling,
      tasksStalled,
      tasksFailing,
      tasksRefused,
      workerUnreachable,
    ],
    ...inferenceAlerts,
  ],
};
