/** What makes other alerts fall silent: whoever tells of something is gone. An alert whose subject is gone has no series, and ends. */
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

/** What Kubernetes knows reaches Prometheus through it alone. The job is what the chart's monitor names it after, app.kubernetes.io/name. */
export const KUBE_STATE = `up{job="kube-state-metrics",namespace="${OBSERVABILITY_NAMESPACE}"}`;
const kubeState = (samples: string) => ({
  [`up{job="kube-state-metrics",namespace="${OBSERVABILITY_NAMESPACE}",pod="ksm-0"}`]: samples,
});
/** Whether anybody would know. */
const IS_KNOWN = `and on () count(${KUBE_STATE} == 1) > 0`;

const kubeStateDown: AlertRule = {
  alert: "KubeStateMetricsDown",
  expr: `absent(${KUBE_STATE} == 1)`,
  for: "3m",
  severity: "critical",
  summary: "Nobody tells Prometheus what Kubernetes knows: most alerts are blind",
  description:
    "For 3 minutes kube-state-metrics has not run, or could not be scraped. Alerts on replicas, nodes, Jobs and Deployments cannot fire, and those that fired have ended: a model may be down and nothing says so but the errors of its requests.",
  cases: {
    fires: { series: kubeState("1x10 _x20"), at: "20m", labels: {} },
    // It moves to another node.
    quiet: { series: kubeState("1x10 _x2 1x20"), at: "13m" },
  },
};

const PROXIES = `kube_deployment_status_replicas_available{namespace="${GATEWAY_NAMESPACE}",deployment="${GATEWAY_NAME}"}`;

const gatewayDown: AlertRule = {
  alert: "GatewayDown",
  // None is ready, or nobody asks for any.
  expr: `label_replace(absent(${PROXIES} > 0) ${IS_KNOWN}, "namespace", "${GATEWAY_NAMESPACE}", "", "")`,
  for: "2m",
  severity: "critical",
  summary: "No proxy of the gateway is ready: no model answers",
  description:
    "For 2 minutes no pod of the gateway in {{ $labels.namespace }} has been ready. Every request of every client fails. Look at the pods and their events.",
  cases: {
    fires: {
      series: { ...kubeState("1x30"), [PROXIES]: "2x10 0x20" },
      at: "15m",
      labels: { namespace: GATEWAY_NAMESPACE },
    },
    // One of two is; and what nobody can know is another alert's.
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
  summary: "Model {{ $labels.model }} is planned, and nothing of it exists",
  description:
    "The plan wants replicas of {{ $labels.model }}, and for 3 minutes its namespace {{ $labels.namespace }} has had neither pods nor anything that makes some, or its label inference-stacks.io/model is gone. Somebody deleted it.",
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
    // One stopped; one that sleeps by its plan; one whose pods no controller of Kubernetes counts.
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

/** What Prometheus should scrape, by `job` and `namespace`, and whether it is a model's. */
export const EXPECTED = "inference:expected_metrics:info";

const GATEWAY_JOB = jobOf("gateway-envoy");
const expectedSeries = (job: string, namespace: string, kind: "platform" | "model") =>
  `${EXPECTED}{job="${job}",namespace="${namespace}",kind="${kind}"}`;

const metricsMissing: AlertRule = {
  alert: "MetricsMissing",
  // Pods of a model that sleeps have none. A target that is there and does not answer is TargetDown's.
  expr: `
    max by (job, namespace) (
      ${EXPECTED}{kind="platform"}
      or (${EXPECTED}{kind="model"} and on (namespace) ${REPLICAS.ready} > 0)
    ) unless on (job, namespace) up`,
  for: "10m",
  severity: "warning",
  summary: "Prometheus finds no target of {{ $labels.job }} in {{ $labels.namespace }}",
  description:
    "For 10 minutes there has been no pod to scrape for {{ $labels.job }} in {{ $labels.namespace }}: its pods are gone or Pending, or nobody selects them. Every alert on its metrics is silent, and so is TargetDown, which sees pods that do not answer.",
  cases: {
    fires: {
      series: {
        [expectedSeries(GATEWAY_JOB, GATEWAY_NAMESPACE, "platform")]: "1x40",
        [`up{job="${GATEWAY_JOB}",namespace="${GATEWAY_NAMESPACE}",pod="proxy-0"}`]: "1x10 _x30",
      },
      at: "30m",
      labels: { job: GATEWAY_JOB, namespace: GATEWAY_NAMESPACE },
    },
    // One that does not answer; and a model that sleeps.
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

/** Alerts of every platform. */
export const absent: RuleSubject = {
  subject: "absent",
  recording: [],
  alerts: [kubeStateDown, gatewayDown, modelMissing, metricsMissing],
};

/** Pods that Prometheus scrapes, by what it calls them. */
export interface ExpectedMetrics {
  readonly job: string;
  readonly namespace: string;
}

/** Of the chart's own, beside kube-state-metrics; the job is the pods' label jobLabel. */
export const NODE_EXPORTER: ExpectedMetrics = { job: "node-exporter", namespace: NODE_METRICS_NAMESPACE };

/** Of our monitors. */
export function expectedOf({ name, namespace, monitor }: ScrapeTarget): ExpectedMetrics {
  return { job: jobOf(monitor?.name ?? name), namespace };
}

/** The series of an environment. */
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
