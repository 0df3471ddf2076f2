import { MODEL_LABEL, ROLE_LABEL } from "../../../names/labels";
import { MODEL_NAMESPACE_SERIES, READY_REPLICAS_SERIES } from "../../../names/recorded-series";
import { PLANNED } from "./planned-replicas";
import type { RecordingRule, RuleSubject } from "./types";

export function exportedLabel(label: string): string {
  return `label_${label.replace(/[^a-zA-Z0-9_]/g, "_")}`;
}

/**
 * Leaders have index 0; of StatefulSets, only those of workers have the other label
 * (kubernetes-sigs/lws v0.10.0, pkg/controllers).
 */
const LWS_LABELS = {
  workerIndex: "leaderworkerset.sigs.k8s.io/worker-index",
  groupIndex: "leaderworkerset.sigs.k8s.io/group-index",
} as const;
const JOB_LABEL = "batch.kubernetes.io/job-name";

/** kube-state-metrics' allow list for the rules. */
export const EXPORTED_LABELS: readonly string[] = [
  `namespaces=[${MODEL_LABEL}]`,
  `deployments=[${MODEL_LABEL}]`,
  `statefulsets=[${[MODEL_LABEL, LWS_LABELS.groupIndex].join(",")}]`,
  `pods=[${[MODEL_LABEL, LWS_LABELS.workerIndex, JOB_LABEL, ROLE_LABEL].join(",")}]`,
];

const MODEL = exportedLabel(MODEL_LABEL);
const WORKER_INDEX = exportedLabel(LWS_LABELS.workerIndex);
const GROUP_INDEX = exportedLabel(LWS_LABELS.groupIndex);
const JOB = exportedLabel(JOB_LABEL);
const ROLE = exportedLabel(ROLE_LABEL);

/** With labels `namespace` and `model`. */
export const REPLICAS = { wanted: "inference:wanted_replicas:count", ready: READY_REPLICAS_SERIES } as const;

/** Adds `model` by `namespace`; drops other namespaces. */
export function ofModels(expr: string): string {
  return `(${expr}) * on (namespace) group_left (model) ${MODEL_NAMESPACE_SERIES}`;
}

const modelNamespace: RecordingRule = {
  record: MODEL_NAMESPACE_SERIES,
  expr: `max by (namespace, model) (label_replace(kube_namespace_labels{${MODEL}!=""}, "model", "$1", "${MODEL}", "(.+)"))`,
  about: "1 for each namespace of a model.",
  cases: {
    gives: {
      series: {
        [`kube_namespace_labels{namespace="model-chat",${MODEL}="chat"}`]: "1x10",
        'kube_namespace_labels{namespace="kube-system"}': "1x10",
      },
      at: "5m",
      samples: { 'inference:model_namespace:info{namespace="model-chat",model="chat"}': 1 },
    },
  },
};

/**
 * Excludes other pods of the namespace, workers of groups, Ray heads and Jobs, whose Ready does not
 * mean answers. A kube-state-metrics being replaced reports each pod twice.
 */
export const answeringPods = `max by (namespace, pod) (kube_pod_labels{${MODEL}!="",${WORKER_INDEX}=~"|0",${JOB}="",${ROLE}!="head"})`;

const readyReplicas: RecordingRule = {
  record: REPLICAS.ready,
  expr: `sum by (namespace, model) (${ofModels(
    `max by (namespace, pod) (kube_pod_status_ready{condition="true"}) * on (namespace, pod) ${answeringPods} unless on (namespace, pod) kube_pod_deletion_timestamp`,
  )})`,
  about:
    "Replicas of a model that answer requests; of a multi-node group, the leader. A pod that drains is still Ready, but does not count.",
  cases: {
    gives: {
      series: {
        ...modelNamespaceSeries("chat", "1x10"),
        ...podSeries("chat", "chat-0", "1x10", { [WORKER_INDEX]: "0" }),
        ...ofSecondReporter(podSeries("chat", "chat-0", "1x10", { [WORKER_INDEX]: "0" })),
        ...podSeries("chat", "chat-0-1", "1x10", { [WORKER_INDEX]: "1" }),
        ...podSeries("chat", "pull", "1x10", { [JOB]: "pull" }),
        ...podSeries("chat", "head", "1x10", { [ROLE]: "head" }),
        ...podSeries("chat", "leaving", "1x10"),
        'kube_pod_deletion_timestamp{namespace="model-chat",pod="leaving"}': "1790000000x10",
        'kube_pod_status_ready{namespace="model-chat",pod="waypoint",condition="true"}': "1x10",
        'kube_pod_labels{namespace="model-chat",pod="waypoint"}': "1x10",
      },
      at: "5m",
      samples: { [`${REPLICAS.ready}{namespace="model-chat",model="chat"}`]: 1 },
    },
  },
};

function controllers(kind: "deployment" | "statefulset", count: string, more = ""): string {
  const by = `(namespace, ${kind})`;
  return `max by ${by} (${count}) * on ${by} max by ${by} (kube_${kind}_labels{${MODEL}!=""${more}})`;
}

const wantedReplicas: RecordingRule = {
  record: REPLICAS.wanted,
  // KubeRay's pods have no controller of Kubernetes: the plan counts, once there are pods.
  expr: `sum by (namespace, model) (${ofModels(
    `${controllers("deployment", "kube_deployment_spec_replicas")} or ${controllers("statefulset", "kube_statefulset_replicas", `,${GROUP_INDEX}=""`)}`,
  )}) or on (namespace, model) (${PLANNED.min} and on (namespace, model) ${ofModels(
    `count by (namespace) (kube_pod_labels{${MODEL}!="",${JOB}=""})`,
  )})`,
  about:
    "Replicas that a model's controllers want, by the plan or by autoscaling; a group counts as one. Without a controller's number, the plan's.",
  cases: {
    gives: {
      series: {
        ...modelNamespaceSeries("chat", "1x10"),
        ...deploymentSeries("chat", "3x10"),
        'kube_deployment_spec_replicas{namespace="model-chat",deployment="waypoint"}': "2x10",
        'kube_deployment_labels{namespace="model-chat",deployment="waypoint"}': "1x10",
        ...modelNamespaceSeries("wide", "1x10"),
        ...statefulSetSeries("wide", "model-wide", "2x10"),
        ...statefulSetSeries("wide", "model-wide-0", "3x10", { [GROUP_INDEX]: "0" }),
        ...statefulSetSeries("wide", "model-wide-1", "3x10", { [GROUP_INDEX]: "1" }),
        ...modelNamespaceSeries("operated", "1x10"),
        ...podSeries("operated", "head", "0x10", { [ROLE]: "head" }),
        [`${PLANNED.min}{namespace="model-operated",model="operated"}`]: "2x10",
        ...modelNamespaceSeries("copied", "1x10"),
        ...podSeries("copied", "sync", "1x10", { [JOB]: "sync" }),
        [`${PLANNED.min}{namespace="model-copied",model="copied"}`]: "2x10",
        [`${PLANNED.min}{namespace="model-chat",model="chat"}`]: "1x10",
        [`${PLANNED.min}{namespace="model-gone",model="gone"}`]: "1x10",
      },
      at: "5m",
      samples: {
        [`${REPLICAS.wanted}{namespace="model-chat",model="chat"}`]: 3,
        [`${REPLICAS.wanted}{namespace="model-wide",model="wide"}`]: 2,
        [`${REPLICAS.wanted}{namespace="model-operated",model="operated"}`]: 2,
      },
    },
  },
};

export const models: RuleSubject = {
  subject: "models",
  recording: [modelNamespace, readyReplicas, wantedReplicas],
  alerts: [],
};

type Series = Readonly<Record<string, string>>;

export function modelNamespaceSeries(model: string, samples: string): Series {
  return { [`kube_namespace_labels{namespace="model-${model}",${MODEL}="${model}"}`]: samples };
}

export function podSeries(model: string, pod: string, ready: string, labels: Series = {}): Series {
  const labelled = selector({ namespace: `model-${model}`, pod, [MODEL]: model, ...labels });
  return {
    [`kube_pod_status_ready{namespace="model-${model}",pod="${pod}",condition="true"}`]: ready,
    [`kube_pod_labels${labelled}`]: "1x400",
  };
}

/** For cases: a model's Deployment and its wanted replicas. */
export function deploymentSeries(model: string, wanted: string): Series {
  const of = { namespace: `model-${model}`, deployment: `model-${model}` };
  return {
    [`kube_deployment_spec_replicas${selector(of)}`]: wanted,
    [`kube_deployment_labels${selector({ ...of, [MODEL]: model })}`]: "1x400",
  };
}

/** For cases: a model's StatefulSet and its wanted pods. */
export function statefulSetSeries(model: string, statefulset: string, wanted: string, labels: Series = {}): Series {
  const of = { namespace: `model-${model}`, statefulset };
  return {
    [`kube_statefulset_replicas${selector(of)}`]: wanted,
    [`kube_statefulset_labels${selector({ ...of, [MODEL]: model, ...labels })}`]: "1x400",
  };
}

/** For cases: another kube-state-metrics. */
function ofSecondReporter(series: Series): Series {
  return Object.fromEntries(
    Object.entries(series).map(([name, samples]) => [name.replace("{", '{instance="10.0.0.9:8080",'), samples]),
  );
}

function selector(labels: Series): string {
  return `{${Object.entries(labels)
    .map(([label, value]) => `${label}="${value}"`)
    .join(",")}}`;
}
