/** What went wrong in an operator's review, and what tells of it. `docs/alerts.md` has the same table. */

import { clientSeries, routeSeries } from "../../../../components/observability/rules/error-series";
import { podSeries } from "../../../../components/observability/rules/models";
import { pastAtGateway } from "../../../../components/observability/rules/silent";
import type { InputSeries } from "../../../../components/observability/rules/types";
import { type metric, seriesOf } from "../../../../engines/metrics";
import { counter, gauge } from "./samples";
import * as world from "./world";

/** Minutes until something goes wrong, unless a story says another number, and all minutes of such a story. */
export const FAULT = 30;
const MINUTES = 60;
/** Of what is compared with the last hours. */
const HOURS_BEFORE = 370;

export interface Story {
  readonly story: string;
  /** What is otherwise than where nothing is wrong. */
  readonly series: InputSeries;
  /** Minutes until something goes wrong. @default FAULT */
  readonly fault?: number;
  readonly alert: string;
  /** Minutes until it fires. */
  readonly after: number;
  /** A model or the gateway is down. */
  readonly isOutage: boolean;
}

const rest = MINUTES - FAULT;
/** One value until the fault, and another since. */
const then = (before: number, since: number | "stale") => gauge([FAULT, before], [rest, since]);

/** What the engine of `chat` reports, by what it is to mean. */
function engine(values: Readonly<Record<string, string>>): InputSeries {
  const of = 'namespace="model-chat",pod="chat-0",model="chat",model_name="chat",engine="0"';
  return Object.fromEntries(
    Object.entries(values).map(([meaning, samples]) => [
      `${seriesOf(meaning as Parameters<typeof metric>[0])[0]}{${of}}`,
      samples,
    ]),
  );
}

const hangs = {
  requestsRunning: gauge([MINUTES, 4]),
  kvCacheUsage: `0.1+0.01x${FAULT - 1} ${gauge([rest, 0.5])}`,
  generatedTokensTotal: counter([FAULT, 900], [rest, 0]),
};

const ofKubernetes = Object.fromEntries(Object.entries(world.well(FAULT)).filter(([name]) => name.startsWith("kube_")));
const condition = (status: "true" | "false", samples: string) => ({
  [`kube_horizontalpodautoscaler_status_condition{namespace="model-chat",horizontalpodautoscaler="keda-hpa-replicas",condition="ScalingActive",status="${status}"}`]:
    samples,
});
const fourteenDays = 14 * 86_400 + FAULT * 60;

export const STORIES: readonly Story[] = [
  {
    story: "a one-GPU engine hangs, and clients leave",
    series: engine({ ...hangs, requestsWaiting: gauge([MINUTES, 0]) }),
    alert: "EngineStalled",
    after: 6,
    isOutage: true,
  },
  {
    story: "a one-GPU engine hangs, and its queue grows",
    series: engine({ ...hangs, requestsWaiting: `${gauge([FAULT, 0])} 1+2x${rest - 1}` }),
    alert: "EngineStalled",
    after: 6,
    isOutage: true,
  },
  {
    story: "an embedding model on Ollama or Triton hangs",
    series: pastAtGateway("small", gauge([MINUTES, 2]), counter([FAULT, 900], [rest, 0])),
    alert: "ModelSilent",
    after: 5,
    isOutage: true,
  },
  {
    story: "all workers of a model on Ray fail",
    series: {
      ...podSeries("ray", "ray-0", then(1, 0)),
      ...podSeries("ray", "ray-1", then(1, 0)),
      ...routeSeries("ray", { "2": counter([FAULT, 12], [rest, 0]), "5": counter([FAULT, 0], [rest, 12]) }),
    },
    alert: "ModelRequestsFailing",
    after: 3,
    isOutage: true,
  },
  {
    story: "all replicas of a model are gone",
    series: world.replicas("chat", gauge([MINUTES, 2]), then(1, 0), then(1, "stale")),
    alert: "ModelUnavailable",
    after: 5,
    isOutage: true,
  },
  {
    story: "all proxies of the gateway are gone",
    series: { [world.PROXIES]: then(2, 0) },
    alert: "GatewayDown",
    after: 2,
    isOutage: true,
  },
  {
    story: "a small model answers 500 to all, 4 % of the traffic",
    series: {
      ...routeSeries("small", { "2": counter([FAULT, 3], [rest, 0]), "5": counter([FAULT, 0], [rest, 3]) }),
      ...clientSeries({ "2": counter([FAULT, 63], [rest, 60]), "5": counter([FAULT, 0], [rest, 3]) }),
    },
    alert: "ModelRequestsFailing",
    after: 5,
    isOutage: true,
  },
  {
    story: "the model store's pod fails",
    series: { [world.STORE_METRICS]: then(1, 0), [world.STORE_READY]: then(1, 0) },
    alert: "ModelStoreDown",
    after: 5,
    isOutage: false,
  },
  {
    story: "kube-state-metrics is evicted, and a model dies",
    series: {
      ...world.goneAfter(FAULT, ofKubernetes),
      [world.KUBE_STATE]: then(1, "stale"),
      ...routeSeries("chat", { "2": counter([FAULT, 60], [rest, 0]) }),
    },
    alert: "KubeStateMetricsDown",
    after: 3,
    isOutage: true,
  },
  {
    story: "a node hangs with a StatefulSet on it",
    series: { [world.nodeReady("system-1")]: then(1, 0) },
    alert: "NodeNotReady",
    after: 6,
    isOutage: false,
  },
  {
    story: "the renewal of a certificate fails",
    series: {
      'certmanager_certificate_expiration_timestamp_seconds{namespace="cert-manager",exported_namespace="gateway",name="tls"}':
        gauge([MINUTES, fourteenDays]),
      'certmanager_certificate_renewal_timestamp_seconds{namespace="cert-manager",exported_namespace="gateway",name="tls"}':
        gauge([MINUTES, fourteenDays - 28 * 86_400]),
    },
    alert: "CertificateExpiringSoon",
    after: 16,
    isOutage: false,
  },
  {
    story: "a sync Job fails",
    series: { 'kube_job_failed{namespace="model-store",job_name="sync-chat",condition="true"}': then(0, 1) },
    alert: "PlatformJobFailed",
    after: 1,
    isOutage: false,
  },
  {
    story: "Karpenter dies",
    series: { [world.KARPENTER]: then(1, "stale") },
    alert: "KarpenterDown",
    after: 5,
    isOutage: false,
  },
  {
    story: "KEDA's metrics are gone",
    series: { ...condition("false", then(0, 1)), ...condition("true", then(1, 0)) },
    alert: "ScalingInactive",
    after: 10,
    isOutage: false,
  },
  {
    story: "k3s is not restarted, and its certificates expire",
    series: {
      'k3s_certificate_expiration_seconds{job="kubelet",node="box",subject="CN=box",usages="ServerAuth"}': `${60 * 86_400 + FAULT * 60}-60x${MINUTES - 1}`,
    },
    alert: "ClusterCertificateExpiringSoon",
    after: 16,
    isOutage: false,
  },
  {
    story: "a user deletes a model's namespace",
    series: world.goneAfter(FAULT, world.replicas("small", gauge([FAULT, 1]), gauge([FAULT, 1]))),
    alert: "ModelMissing",
    after: 3,
    isOutage: true,
  },
  {
    story: "a user deletes the monitor of engines",
    series: { [world.ENGINE_METRICS]: then(1, "stale") },
    alert: "MetricsMissing",
    after: 10,
    isOutage: false,
  },
  {
    story: "a GPU falls off the bus",
    series: { [world.XID]: then(0, 79), [world.gpus("allocatable")]: then(8, 7) },
    alert: "GpuXidErrors",
    after: 1,
    isOutage: false,
  },
  {
    story: "a GPU has a memory error, and its program is cleaned up at once",
    series: {
      [world.XID]: then(0, 45),
      [world.counted(48)]: then(0, 1),
      [world.counted(45)]: then(0, 8),
    },
    alert: "GpuXidErrors",
    after: 1,
    isOutage: false,
  },
  {
    story:
      "a GPU has a memory error, then its program is cleaned up, where the cluster's exporter reports only the last XID",
    series: { [world.XID]: gauge([FAULT, 0], [1, 48], [rest - 1, 45]) },
    alert: "GpuXidErrors",
    after: 1,
    isOutage: false,
  },
  {
    story: "a GPU is not there after a reboot",
    series: { [world.gpus("capacity")]: then(8, 7), [world.gpus("allocatable")]: then(8, 7) },
    alert: "GpuLost",
    after: 15,
    isOutage: false,
  },
  {
    story: "heat slows a GPU down",
    series: { [world.CLOCK_REASONS]: then(4, 68) },
    alert: "GpuThrottled",
    after: 10,
    isOutage: false,
  },
  {
    story: "the exporter of a node's GPUs dies",
    series: { [world.TEMPERATURE]: then(60, "stale"), [world.XID]: then(0, "stale") },
    alert: "GpuMetricsMissing",
    after: 15,
    isOutage: false,
  },
  {
    story: "one request in ten of a model that promises 99.9 % fails",
    series: routeSeries("chat", {
      "2": counter([HOURS_BEFORE, 60], [rest, 54]),
      "5": counter([HOURS_BEFORE, 0], [rest, 6]),
    }),
    fault: HOURS_BEFORE,
    alert: "ErrorBudgetBurnsFast",
    after: 12,
    isOutage: false,
  },
];
