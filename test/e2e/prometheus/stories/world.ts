/** A platform where nothing is wrong, and its rules. */
import { karpenterAlerts } from "../../../../components/autoscaling/alerts";
import type { ScaledModel } from "../../../../components/autoscaling/scaled-model";
import { unmetRequests } from "../../../../components/autoscaling/unmet-requests";
import { expectedMetrics, NODE_EXPORTER } from "../../../../components/observability/rules/absent";
import { k3sCertificates } from "../../../../components/observability/rules/cluster-certificates";
import { clientSeries, routeSeries } from "../../../../components/observability/rules/error-series";
import { gpuExporterAlerts } from "../../../../components/observability/rules/machines";
import { deploymentSeries, modelNamespaceSeries, podSeries } from "../../../../components/observability/rules/models";
import { plannedKinds } from "../../../../components/observability/rules/planned-kinds";
import { plannedReplicas } from "../../../../components/observability/rules/planned-replicas";
import { rdmaAlerts } from "../../../../components/observability/rules/rdma";
import { serviceLevels } from "../../../../components/observability/rules/service-levels";
import { silentModels } from "../../../../components/observability/rules/silent";
import { RULE_SUBJECTS } from "../../../../components/observability/rules/subjects";
import type { InputSeries, RuleSubject } from "../../../../components/observability/rules/types";
import { ADDON_ALERTS } from "../../../../stacks/addons/watched";
import { counter, gauge } from "./samples";

const planned = (name: string, minReplicas: number) => ({
  name,
  minReplicas,
  maxReplicas: 2,
  startupBudgetSeconds: 1000,
});
const endpoint = { model: "drafts", namespace: "model-drafts" } as ScaledModel["endpoint"];

/** The rules of an environment with these models; `drafts` sleeps until somebody asks, `ray` runs on Ray. */
export const RULES: readonly RuleSubject[] = [
  // What only a plan can say is read by the others.
  plannedReplicas([planned("chat", 2), planned("small", 1), planned("ray", 2), planned("drafts", 0)]),
  plannedKinds({
    models: [
      { name: "chat", task: "chat" },
      { name: "drafts", task: "completion" },
      { name: "small", task: "embedding" },
    ],
    externalModels: [{ name: "hosted", task: "chat" }],
  }),
  silentModels({ streamIdleTimeoutSeconds: 600 }),
  serviceLevels([{ name: "chat", serviceLevel: { availability: 0.999 } }]),
  unmetRequests([{ endpoint, served: [endpoint], scaling: { min: 0 } as ScaledModel["scaling"] }]),
  expectedMetrics([
    NODE_EXPORTER,
    { job: "observability/gateway-envoy", namespace: "inference-gateway" },
    { job: "observability/model-store", namespace: "model-store" },
    { job: "observability/models-vllm", namespace: "model-chat" },
  ]),
  ...RULE_SUBJECTS,
  ...ADDON_ALERTS,
  karpenterAlerts,
  k3sCertificates,
  rdmaAlerts,
  gpuExporterAlerts,
];

export const KUBE_STATE = 'up{job="kube-state-metrics",namespace="observability",pod="ksm-0"}';
export const PROXIES =
  'kube_deployment_status_replicas_available{namespace="inference-gateway",deployment="inference"}';
export const KARPENTER =
  'leader_election_master_status{name="karpenter-leader-election",namespace="karpenter",pod="karpenter-0"}';
export const STORE_METRICS = 'up{job="observability/model-store",namespace="model-store",pod="metrics-0"}';
export const engineUp = (model: string, pod: string) =>
  `up{job="observability/models-vllm",namespace="model-${model}",pod="${pod}"}`;
export const ENGINE_METRICS = engineUp("chat", "chat-0");
export const nodeReady = (node: string) => `kube_node_status_condition{node="${node}",condition="Ready",status="true"}`;
export const cordoned = (node: string) => `kube_node_spec_unschedulable{node="${node}"}`;
export const gpus = (kind: "capacity" | "allocatable", node = "gpu-1") =>
  `kube_node_status_${kind}{node="${node}",resource="nvidia_com_gpu",unit="integer"}`;
const GPU = 'instance="10.0.0.1:9400",node="gpu-1",gpu="0",modelName="H100",namespace="model-chat",pod="chat-0"';
export const XID = `DCGM_FI_DEV_XID_ERRORS{${GPU}}`;
/** Of an exporter that counts them: those of a number, of the last 5 minutes. */
export const counted = (xid: number) => `DCGM_EXP_XID_ERRORS_COUNT{${GPU},xid="${xid}"}`;
export const TEMPERATURE = `DCGM_FI_DEV_GPU_TEMP{${GPU}}`;
/** Of a GPU that no pod holds. */
export const temperature = (node: string) =>
  `DCGM_FI_DEV_GPU_TEMP{instance="10.0.0.2:9400",node="${node}",gpu="0",modelName="H100"}`;
export const CLOCK_REASONS = `DCGM_FI_DEV_CLOCKS_EVENT_REASONS{${GPU}}`;
const LABELS = /^kube_\w+_labels\{/;
export const STORE_READY = 'kube_statefulset_status_replicas_ready{namespace="model-store",statefulset="minio"}';

/** What Kubernetes says of a model's replicas: those wanted, and of each pod whether it is ready. */
export function replicas(model: string, wanted: string, ...ready: readonly string[]): InputSeries {
  return Object.assign(
    { ...modelNamespaceSeries(model, "1x400"), ...deploymentSeries(model, wanted) },
    ...ready.map((samples, i) => podSeries(model, `${model}-${i}`, samples)),
  );
}

/** The same, gone after so many minutes. */
export function goneAfter(minutes: number, series: InputSeries): InputSeries {
  return Object.fromEntries(
    Object.entries(series).map(([name, samples]) => [
      name,
      LABELS.test(name) ? gauge([minutes, 1], [1, "stale"]) : `${samples} stale`,
    ]),
  );
}

/** Nothing is wrong for so many minutes. */
export function well(minutes: number): InputSeries {
  const always = (value: number) => gauge([minutes, value]);
  const series: InputSeries = {
    [KUBE_STATE]: always(1),
    [PROXIES]: always(2),
    [KARPENTER]: always(1),
    [STORE_METRICS]: always(1),
    [ENGINE_METRICS]: always(1),
    'up{job="observability/gateway-envoy",namespace="inference-gateway",pod="proxy-0"}': always(1),
    'up{job="node-exporter",namespace="node-metrics",pod="exporter-0"}': always(1),
    [nodeReady("gpu-1")]: always(1),
    [nodeReady("system-1")]: always(1),
    [gpus("capacity")]: always(8),
    [gpus("allocatable")]: always(8),
    [XID]: always(0),
    [TEMPERATURE]: always(60),
    [CLOCK_REASONS]: always(0),
    [cordoned("gpu-1")]: always(0),
    [STORE_READY]: always(1),
    ...replicas("chat", always(2), always(1), always(1)),
    ...replicas("small", always(1), always(1)),
    ...modelNamespaceSeries("ray", always(1)),
    ...podSeries("ray", "ray-0", always(1)),
    ...podSeries("ray", "ray-1", always(1)),
    ...replicas("drafts", always(0)),
    ...routeSeries("chat", { "2": counter([minutes, 60]), "4": counter([minutes, 6]) }),
    ...routeSeries("small", { "2": counter([minutes, 3]) }),
    ...clientSeries({ "2": counter([minutes, 63]), "4": counter([minutes, 6]) }),
  };
  return labelledFor(minutes, series);
}

/** Labels for as long as the story takes. */
export function labelledFor(minutes: number, series: InputSeries): InputSeries {
  return Object.fromEntries(
    Object.entries(series).map(([name, samples]) => [name, LABELS.test(name) ? gauge([minutes, 1]) : samples]),
  );
}
