import { MODEL_LABEL, ROLE_LABEL } from "../../../names/labels";
import { MODEL_NAMESPACE_SERIES, READY_REPLICAS_SERIES } from "../../../names/recorded-series";
import { PLANNED } from "./planned-replicas";
import type { RecordingRule, RuleSubject } from "./types";

/** Name under which kube-state-metrics exports a Kubernetes label. */
export function exportedLabel(label: string): string {
  return `label_${label.replace(/[^a-zA-Z0-9_]/g, "_")}`;
}

/** Of pods in a group, 0 is the leader; of StatefulSets, only those of a group's workers have the other one (kubernetes-sigs/lws v0.10.0, pkg/controllers). */
const LWS_LABELS = {
  workerIndex: "leaderworkerset.sigs.k8s.io/worker-index",
  groupIndex: "leaderworkerset.sigs.k8s.io/group-index",
} as const;
const JOB_LABEL = "batch.kubernetes.io/job-name";

/** Labels that kube-state-metrics must export for the rules, in the form of its allow list. */
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

/** Recorded replicas of each model, with labels `namespace` and `model`. */
export const REPLICAS = { wanted: "inference:wanted_replicas:count", ready: READY_REPLICAS_SERIES } as const;

/** Joins the `model` onto series that have a `namespace`, and drops those of other namespaces. */
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
 * Pods that answer requests: not what others run beside a model in its namespace, not the workers of a multi-node group,
 * which are ready before the group answers, not the head of a Ray cluster, which has no model, and not Jobs, whose running pods
 * count as ready. While kube-state-metrics is replaced, two report every pod: each counts once.
 */
export const answeringPods = `max by (namespace, pod) (kube_pod_labels{${MODEL}!="",${WORKER_INDEX}=~"|0",${JOB}="",${ROLE}!="head"})`;

const readyReplicas: RecordingRule = {
  record: REPLICAS.ready,
  expr: `sum by (namespace, model) (${ofModels(
    `max by (namespace, pod) (kube_pod_status_ready{condition="true"}) * on (namespace, pod) ${answeringPods} unless on (namespace, pod) kube_pod_deletion_timestamp`,
  )})`,
  about:
    "Replicas of a model that answer requests; leaders only in a multi-node group. A pod that is being deleted stays ready while it drains, and gets no new requests: it is none.",
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

/** Controllers of one kind that run a model's replicas. */
function controllers(kind: "deployment" | "statefulset", count: string, more = ""): string {
  const by = `(namespace, ${kind})`;
  return `max by ${by} (${count}) * on ${by} max by ${by} (kube_${kind}_labels{${MODEL}!=""${more}})`;
}

const wantedReplicas: RecordingRule = {
  record: REPLICAS.wanted,
  // KubeRay runs pods of its own, which no controller of Kubernetes counts: what the plan says is wanted then. Before there are pods, weights
  // may still be on their way.
  expr: `sum by (namespace, model) (${ofModels(
    `${controllers("deployment", "kube_deployment_spec_replicas")} or ${controllers("statefulset", "kube_statefulset_replicas", `,${GROUP_INDEX}=""`)}`,
  )}) or on (namespace, model) (${PLANNED.min} and on (namespace, model) ${ofModels(
    `count by (namespace) (kube_pod_labels{${MODEL}!="",${JOB}=""})`,
  )})`,
  about:
    "Replicas that a model's controllers are told to run, by the plan or by what scales it; groups as groups. Where no controller says a number, the plan's.",
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

/** Facts on models that the other subjects build on. */
export const models: RuleSubject = {
  subject: "models",
  recording: [modelNamespace, readyReplicas, wantedReplicas],
  alerts: [],
};

type Series = Readonly<Record<string, string>>;

/** For cases: the series that makes a namespace a model's. */
export function modelNamespaceSeries(model: string, samples: string): Series {
  return { [`kube_namespace_labels{namespace="model-${model}",${MODEL}="${model}"}`]: samples };
}

/** For cases: a pod of a model, and whether it is ready. */
export function podSeries(model: string, pod: string, ready: string, labels: Series = {}): Series {
  const labelled = selector({ namespace: `model-${model}`, pod, [MODEL]: model, ...labels });
  return {
    [`kube_pod_status_ready{namespace="model-${model}",pod="${pod}",condition="true"}`]: ready,
    [`kube_pod_labels${labelled}`]: "1x400",
  };
}

/** For cases: a model's Deployment, and the replicas that it is told to run. */
export function deploymentSeries(model: string, wanted: string): Series {
  const of = { namespace: `model-${model}`, deployment: `model-${model}` };
  return {
    [`kube_deployment_spec_replicas${selector(of)}`]: wanted,
    [`kube_deployment_labels${selector({ ...of, [MODEL]: model })}`]: "1x400",
  };
}

/** For cases: a StatefulSet of a model, and the pods that it is told to run. */
export function statefulSetSeries(model: string, statefulset: string, wanted: string, labels: Series = {}): Series {
  const of = { namespace: `model-${model}`, statefulset };
  return {
    [`kube_statefulset_replicas${selector(of)}`]: wanted,
    [`kube_statefulset_labels${selector({ ...of, [MODEL]: model, ...labels })}`]: "1x400",
  };
}

/** For cases: the same series of another kube-state-metrics. */
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
