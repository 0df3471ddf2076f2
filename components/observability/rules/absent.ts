/** An alert whose subject has no series ends: these fire when series are missing. */
import { GATEWAY_NAME } from "../../../names/gateway";
import {
  GATEWAY_NAMESPACE,
  modelNamespaceName,
  NODE_METRICS_NAMESPACE,
  OBSERVABILITY_NAMESPACE,
  PLATFORM_NAMESPACES,
} from "../../../names/namespaces";
import { jobOf } from "../../../names/scrape-jobs";
import type { ScrapeTarget } from "../targets";
import { deploymentSeries, modelNamespaceSeries, podSeries, REPLICAS } from "./models";
import { PLANNED } from "./planned-replicas";
import type { AlertRule, RecordingRule, RuleSubject } from "./types";

/** The job is the monitor's label app.kubernetes.io/name. */
export const KUBE_STATE = `up{job="kube-state-metrics",namespace="${OBSERVABILITY_NAMESPACE}"}`;
const kubeState = (samples: string) => ({
  [`up{job="kube-state-metrics",namespace="${OBSERVABILITY_NAMESPACE}",pod="ksm-0"}`]: samples,
});
const IS_KNOWN = `and on () count(${KUBE_STATE} == 1) > 0`;

const kubeStateDown: AlertRule = {
  alert: "KubeStateMetricsDown",
  expr: `absent(${KUBE_STATE} == 1)`,
  for: "3m",
  severity: "critical",
  summary: "kube-state-metrics is down: most alerts cannot fire",
  description:
    "kube-state-metrics has not run, or could not be scraped, for 3 minutes. Alerts on replicas, nodes, Jobs and Deployments cannot fire, and firing ones have ended. A model that is down shows only in request errors. Check its pod in the namespace of monitoring.",
  cases: {
    fires: { series: kubeState("1x10 _x20"), at: "20m", labels: {} },
    // Moves to another node.
    quiet: { series: kubeState("1x10 _x2 1x20"), at: "13m" },
  },
};

const PROXIES = `kube_deployment_status_replicas_available{namespace="${GATEWAY_NAMESPACE}",deployment="${GATEWAY_NAME}"}`;

const gatewayDown: AlertRule = {
  alert: "GatewayDown",
  // None is ready, or none is wanted.
  expr: `label_replace(absent(${PROXIES} > 0) ${IS_KNOWN}, "namespace", "${GATEWAY_NAMESPACE}", "", "")`,
  for: "2m",
  severity: "critical",
  summary: "The gateway has no ready proxy: no model answers",
  description:
    "The gateway in {{ $labels.namespace }} has had no ready pod for 2 minutes. Every request fails. Check the pods and their events.",
  cases: {
    fires: {
      series: { ...kubeState("1x30"), [PROXIES]: "2x10 0x20" },
      at: "15m",
      labels: { namespace: GATEWAY_NAMESPACE },
    },
    // One of two is ready; kube-state-metrics is down, which another alert reports.
    quiet: { series: { ...kubeState("1x20 _x20"), [PROXIES]: "2x10 1x10 _x20" }, at: "35m" },
  },
};

const modelMissing: AlertRule = {
  alert: "ModelMissing",
  expr: `
    (${PLANNED.min} > 0 unless on (namespace, model) (${REPLICAS.wanted} or on (namespace, model) ${REPLICAS.ready}))
    ${IS_KNOWN}`,
  for: "3m",
  severity: "critical",
  summary: "Model {{ $labels.model }} is planned but does not exist",
  description:
    "The plan wants replicas of {{ $labels.model }}, but its namespace {{ $labels.namespace }} has had neither pods nor a controller for 3 minutes, or lacks its label inference-stacks.io/model. They were deleted: run pulumi up --refresh.",
  cases: {
    fires: {
      series: {
        ...kubeState("1x30"),
        [`${PLANNED.min}{namespace="model-chat",model="chat"}`]: "1x30",
        ...modelNamespaceSeries("chat", "1x10 _x20"),
        ...deploymentSeries("chat", "1x10 _x20"),
      },
      at: "20m",
      labels: { namespace: "model-chat", model: "chat" },
    },
    // One is stopped; one sleeps; one's pods have no controller of Kubernetes.
    quiet: {
      series: {
        ...kubeState("1x30"),
        [`${PLANNED.min}{namespace="model-chat",model="chat"}`]: "1x30",
        ...modelNamespaceSeries("chat", "1x30"),
        ...deploymentSeries("chat", "0x30"),
        [`${PLANNED.min}{namespace="model-asleep",model="asleep"}`]: "0x30",
        [`${PLANNED.min}{namespace="model-bare",model="bare"}`]: "2x30",
        ...modelNamespaceSeries("bare", "1x30"),
        ...podSeries("bare", "bare-0", "0x30"),
      },
      at: "20m",
    },
  },
};

/** What Prometheus should scrape, by `job`, `namespace` and kind. */
export const EXPECTED = "inference:expected_metrics:info";

const GATEWAY_JOB = jobOf("gateway-envoy");
const expectedSeries = (job: string, namespace: string, kind: "platform" | "model") =>
  `${EXPECTED}{job="${job}",namespace="${namespace}",kind="${kind}"}`;

const metricsMissing: AlertRule = {
  alert: "MetricsMissing",
  // A sleeping model has no pods. Targets that do not answer are TargetDown's.
  expr: `
    max by (job, namespace) (
      ${EXPECTED}{kind="platform"}
      or (${EXPECTED}{kind="model"} and on (namespace) ${REPLICAS.ready} > 0)
    ) unless on (job, namespace) up`,
  for: "10m",
  severity: "warning",
  summary: "Prometheus finds no target of {{ $labels.job }} in {{ $labels.namespace }}",
  description:
    "Prometheus has found no pod of {{ $labels.job }} in {{ $labels.namespace }} for 10 minutes: its pods are missing or Pending, or no monitor selects them. No alert on its metrics can fire. TargetDown covers only pods that do not answer.",
  cases: {
    fires: {
      series: {
        [expectedSeries(GATEWAY_JOB, GATEWAY_NAMESPACE, "platform")]: "1x40",
        [`up{job="${GATEWAY_JOB}",namespace="${GATEWAY_NAMESPACE}",pod="proxy-0"}`]: "1x10 _x30",
      },
      at: "30m",
      labels: { job: GATEWAY_JOB, namespace: GATEWAY_NAMESPACE },
    },
    // One does not answer; a model sleeps.
    quiet: {
      series: {
        [expectedSeries(GATEWAY_JOB, GATEWAY_NAMESPACE, "platform")]: "1x40",
        [`up{job="${GATEWAY_JOB}",namespace="${GATEWAY_NAMESPACE}",pod="proxy-0"}`]: "1x10 0x30",
        [expectedSeries(jobOf("models"), "model-asleep", "model")]: "1x40",
        ...modelNamespaceSeries("asleep", "1x40"),
        ...podSeries("asleep", "asleep-0", "1x10 _x30"),
      },
      at: "30m",
    },
  },
};

export const absent: RuleSubject = {
  subject: "absent",
  recording: [],
  alerts: [kubeStateDown, gatewayDown, modelMissing, metricsMissing],
};

export interface ExpectedMetrics {
  readonly job: string;
  readonly namespace: string;
}

/** The job is the pods' label jobLabel. */
export const NODE_EXPORTER: ExpectedMetrics = { job: "node-exporter", namespace: NODE_METRICS_NAMESPACE };

export function expectedOf({ name, namespace, monitor }: ScrapeTarget): ExpectedMetrics {
  return { job: jobOf(monitor?.name ?? name), namespace };
}

export function expectedMetrics(expected: readonly ExpectedMetrics[]): RuleSubject {
  const distinct = new Map(expected.map((each) => [`${each.namespace}/${each.job}`, each]));
  return { subject: "expected-metrics", recording: [...distinct.values()].map(ofTarget), alerts: [] };
}

function isOfModel(namespace: string): boolean {
  return namespace.startsWith(modelNamespaceName("")) && !PLATFORM_NAMESPACES.includes(namespace);
}

function ofTarget({ job, namespace }: ExpectedMetrics): RecordingRule {
  const kind = isOfModel(namespace) ? "model" : "platform";
  return {
    record: EXPECTED,
    expr: "vector(1)",
    labels: { job, namespace, kind },
    about: "1 for each namespace with pods that Prometheus should scrape.",
    cases: { gives: { series: {}, at: "5m", samples: { [expectedSeries(job, namespace, kind)]: 1 } } },
  };
}
