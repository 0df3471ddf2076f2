import { MODEL_LABEL } from "../../../names/labels";
import { MODEL_NAMESPACE_SERIES, READY_REPLICAS_SERIES } from "../../../names/recorded-series";
import type { RecordingRule, RuleSubject } from "./types";

/** Name under which kube-state-metrics exports a Kubernetes label. */
export function exportedLabel(label: string): string {
  return `label_${label.replace(/[^a-zA-Z0-9_]/g, "_")}`;
}

/** Labels that kube-state-metrics must export for the rules, in the form of its allow list. */
export const EXPORTED_LABELS: readonly string[] = [
  `namespaces=[${MODEL_LABEL}]`,
  "pods=[leaderworkerset.sigs.k8s.io/worker-index,batch.kubernetes.io/job-name]",
];

const MODEL = exportedLabel(MODEL_LABEL);

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
 * Pods that answer requests: not the workers of a multi-node group, which are ready before the group
 * answers, and not Jobs, whose running pods count as ready.
 */
const answeringPods =
  'kube_pod_labels{label_leaderworkerset_sigs_k8s_io_worker_index=~"|0",label_batch_kubernetes_io_job_name=""}';

const readyReplicas: RecordingRule = {
  record: READY_REPLICAS_SERIES,
  expr: `sum by (namespace, model) (${ofModels(
    `kube_pod_status_ready{condition="true"} * on (namespace, pod) group_left () ${answeringPods}`,
  )})`,
  about: "Replicas of a model that answer requests; leaders only in a multi-node group.",
  cases: {
    gives: {
      series: {
        [`kube_namespace_labels{namespace="model-chat",${MODEL}="chat"}`]: "1x10",
        'kube_pod_status_ready{namespace="model-chat",pod="chat-0",condition="true"}': "1x10",
        'kube_pod_labels{namespace="model-chat",pod="chat-0",label_leaderworkerset_sigs_k8s_io_worker_index="0"}':
          "1x10",
        'kube_pod_status_ready{namespace="model-chat",pod="chat-0-1",condition="true"}': "1x10",
        'kube_pod_labels{namespace="model-chat",pod="chat-0-1",label_leaderworkerset_sigs_k8s_io_worker_index="1"}':
          "1x10",
        'kube_pod_status_ready{namespace="model-chat",pod="pull",condition="true"}': "1x10",
        'kube_pod_labels{namespace="model-chat",pod="pull",label_batch_kubernetes_io_job_name="pull"}': "1x10",
      },
      at: "5m",
      samples: { 'inference:ready_replicas:count{namespace="model-chat",model="chat"}': 1 },
    },
  },
};

/** Facts on models that the other subjects build on. */
export const models: RuleSubject = { subject: "models", recording: [modelNamespace, readyReplicas], alerts: [] };

/** For cases: the series that makes a namespace a model's. */
export function modelNamespaceSeries(model: string, samples: string): Readonly<Record<string, string>> {
  return { [`kube_namespace_labels{namespace="model-${model}",${MODEL}="${model}"}`]: samples };
}
