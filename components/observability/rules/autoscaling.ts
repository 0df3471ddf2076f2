import { UNMET_REQUESTS_SERIES } from "../../../names/recorded-series";
import { deploymentSeries, modelNamespaceSeries, ofModels, podSeries, REPLICAS } from "./models";
import { overStart, plannedStartSeries } from "./starts";
import type { AlertRule, RuleSubject } from "./types";

const OF_CHAT = { namespace: "model-chat", model: "chat" };

/** `exported_namespace`: Prometheus keeps KEDA's own namespace in `namespace`. */
function ofScaledObjects(expr: string): string {
  return ofModels(`label_replace(${expr}, "namespace", "$1", "exported_namespace", "(.+)")`);
}

/** For cases: labels of KEDA's series. */
function scaledObject(model: string): string {
  return `{namespace="keda",pod="keda-operator-0",exported_namespace="model-${model}",scaledObject="replicas"}`;
}

/**
 * Failed reads by three counts: with a fallback in force KEDA counts no errors of its own, but
 * failed queries of Prometheus (kedacore/keda v2.21.0 and v2.20.2, pkg/fallback,
 * pkg/scalers/prometheus_scaler.go, pkg/metricscollector).
 * @param growth of a counter: `(series) => increase(series[5m])`.
 */
export function unreadSignals(growth: (series: string) => string): string {
  const counts = [
    "keda_scaled_object_errors_total",
    'keda_scaler_http_requests_total{status_code!~"2.."}',
    'keda_scaler_empty_upstream_responses_total{ignoreNullValues="false"}',
  ];
  return `sum by (namespace, model) (${ofScaledObjects(counts.map(growth).join(" or "))})`;
}

function asked(model: string, answer: string): string {
  const labels = `scaled_resource="replicas",scaler="prometheusScaler",trigger_name="queue",metric_name="s0-prometheus"`;
  return `keda_scaler_http_requests_total{namespace="keda",exported_namespace="model-${model}",${labels},status_code="${answer}"}`;
}

const scalerErrors: AlertRule = {
  alert: "ScalerErrors",
  // With a fallback, replicas stay and look healthy.
  expr: `${unreadSignals((series) => `increase(${series}[5m])`)} > 0`,
  for: "10m",
  severity: "critical",
  summary: "KEDA cannot read the demand for model {{ $labels.model }}",
  description:
    "KEDA could not read the signals of {{ $labels.namespace }} for 10 minutes. Replicas of {{ $labels.model }} stay as they are, or at the planned fallback, whatever the demand. A sleeping model may not wake. KEDA's log names the trigger.",
  cases: {
    // Retries fail; then the fallback is in force.
    fires: {
      series: {
        ...modelNamespaceSeries("chat", "1x40"),
        [`keda_scaled_object_errors_total${scaledObject("chat")}`]: "0x10 4+4x3 16x30",
        [asked("chat", "200")]: "0+4x10 40x30",
        [asked("chat", "error")]: "_x10 4+4x30",
      },
      at: "35m",
      labels: OF_CHAT,
    },
    // Prometheus restarted; errors lasted a minute.
    quiet: {
      series: {
        ...modelNamespaceSeries("chat", "1x40"),
        [`keda_scaled_object_errors_total${scaledObject("chat")}`]: "0x10 4x1 8x30",
        [asked("chat", "200")]: "0+4x40",
        [asked("chat", "error")]: "_x10 4x30",
      },
      at: "22m",
    },
  },
};

function condition(model: string, name: string, status: string, samples: string) {
  const of = `namespace="model-${model}",horizontalpodautoscaler="keda-hpa-replicas"`;
  return { [`kube_horizontalpodautoscaler_status_condition{${of},condition="${name}",status="${status}"}`]: samples };
}

const scalingInactive: AlertRule = {
  alert: "ScalingInactive",
  // Kubernetes reports the same for a model with no replicas.
  expr: `
    max by (namespace, model) (${ofModels('kube_horizontalpodautoscaler_status_condition{condition="ScalingActive",status="false"}')}) > 0
    and on (namespace, model) ${REPLICAS.wanted} > 0`,
  for: "10m",
  severity: "critical",
  summary: "Nothing scales model {{ $labels.model }}",
  description:
    "Kubernetes has had no metric to scale {{ $labels.model }} by for 10 minutes: the external metrics API does not answer, or lacks the metric. Its replicas stay as they are, whatever the demand. Check the HPA's events and KEDA's pods.",
  cases: {
    fires: {
      series: {
        ...modelNamespaceSeries("chat", "1x40"),
        ...deploymentSeries("chat", "2x40"),
        ...condition("chat", "ScalingActive", "false", "0x5 1x35"),
        ...condition("chat", "ScalingActive", "true", "1x5 0x35"),
      },
      at: "25m",
      labels: OF_CHAT,
    },
    // One has metrics, and one sleeps.
    quiet: {
      series: {
        ...modelNamespaceSeries("chat", "1x40"),
        ...deploymentSeries("chat", "2x40"),
        ...condition("chat", "ScalingActive", "false", "0x40"),
        ...condition("chat", "ScalingActive", "true", "1x40"),
        ...modelNamespaceSeries("asleep", "1x40"),
        ...deploymentSeries("asleep", "0x40"),
        ...condition("asleep", "ScalingActive", "false", "1x40"),
      },
      at: "25m",
    },
  },
};

const ofAutoscaler = (figure: string) => `max by (namespace) (kube_horizontalpodautoscaler_${figure})`;

function autoscaler(model: string, { min, max, now }: Readonly<Record<"min" | "max" | "now", string>>) {
  const of = `{namespace="model-${model}",horizontalpodautoscaler="keda-hpa-replicas"}`;
  return {
    ...modelNamespaceSeries(model, "1x60"),
    [`kube_horizontalpodautoscaler_spec_min_replicas${of}`]: min,
    [`kube_horizontalpodautoscaler_spec_max_replicas${of}`]: max,
    [`kube_horizontalpodautoscaler_status_current_replicas${of}`]: now,
  };
}

const atMaximum: AlertRule = {
  alert: "ModelAtMaximum",
  // ScalingLimited at the maximum means that a signal asks for more (kubernetes/kubernetes v1.36.3,
  // pkg/controller/podautoscaler/horizontal.go); most of the time counts.
  expr: `
    max by (namespace, model) (${ofModels(`
      ${ofAutoscaler("status_current_replicas")} >= ${ofAutoscaler("spec_max_replicas")}
      and ${ofAutoscaler("spec_max_replicas")} > ${ofAutoscaler("spec_min_replicas")}
      and max by (namespace) (avg_over_time(kube_horizontalpodautoscaler_status_condition{condition="ScalingLimited",status="true"}[10m])) > 0.5`)})`,
  for: "15m",
  severity: "warning",
  summary: "Model {{ $labels.model }} runs all of its {{ $value }} replicas, and demand is larger",
  description:
    "{{ $labels.model }} has run replicas.max replicas for 15 minutes, and its signals ask for more: requests wait. The gateway refuses those that exceed its limits. Raise replicas.max if the pool and the budget have room.",
  cases: {
    fires: {
      series: {
        ...autoscaler("chat", { min: "1x60", max: "4x60", now: "1x10 4x50" }),
        ...condition("chat", "ScalingLimited", "true", "0x10 1x20 0x2 1x28"),
      },
      at: "45m",
      labels: OF_CHAT,
    },
    // At the maximum by a schedule; limited in its rate, below the maximum; a fixed number.
    quiet: {
      series: {
        ...autoscaler("chat", { min: "1x60", max: "4x60", now: "4x60" }),
        ...condition("chat", "ScalingLimited", "true", "0x60"),
        ...autoscaler("grows", { min: "1x60", max: "8x60", now: "2x60" }),
        ...condition("grows", "ScalingLimited", "true", "1x60"),
        ...autoscaler("fixed", { min: "2x60", max: "2x60", now: "2x60" }),
        ...condition("fixed", "ScalingLimited", "true", "1x60"),
      },
      at: "45m",
    },
  },
};

/** For cases: a model's time to start, and its unmet requests. */
function sleeper(model: string, seconds: number, unmet: string) {
  return {
    ...modelNamespaceSeries(model, "1x90"),
    ...plannedStartSeries(model, seconds),
    [`${UNMET_REQUESTS_SERIES}{namespace="model-${model}",model="${model}"}`]: unmet,
  };
}

const doesNotWake: AlertRule = {
  alert: "ModelDoesNotWake",
  // A request as long ago as a start takes, and no ready replica since. One is enough.
  expr: `
    (${overStart(
      (range) =>
        `(max_over_time(${UNMET_REQUESTS_SERIES}[10m] offset ${range}) > 0 unless on (namespace, model) max_over_time(${REPLICAS.ready}[${range}]) > 0)`,
    )})
    unless on (namespace, model) ${ofScaledObjects("max by (exported_namespace) (keda_scaled_object_paused)")} > 0`,
  for: "3m",
  severity: "critical",
  summary: "Model {{ $labels.model }} has requests, but does not wake",
  description:
    "Requests for {{ $labels.model }} found no replica, and none became ready in the planned time of a start. Clients get 503. Check whether a replica is wanted; if so, check its pod.",
  cases: {
    fires: {
      series: {
        ...sleeper("chat", 1000, "0x30 1x2 0x58"),
        ...deploymentSeries("chat", "0x90"),
      },
      at: "60m",
      labels: OF_CHAT,
    },
    // Woke in time and sleeps again; asked lately; stopped by the model control API.
    quiet: {
      series: {
        ...sleeper("chat", 1000, "0x30 1x2 0x58"),
        ...deploymentSeries("chat", "0x31 1x29 0x30"),
        ...podSeries("chat", "chat-0", "_x31 0x12 1x17 _x30"),
        ...sleeper("late", 1000, "0x45 3x45"),
        ...deploymentSeries("late", "0x90"),
        ...sleeper("stopped", 1000, "5x90"),
        ...deploymentSeries("stopped", "0x90"),
        [`keda_scaled_object_paused${scaledObject("stopped")}`]: "1x90",
      },
      at: "60m",
    },
  },
};

const paused: AlertRule = {
  alert: "ScalingPaused",
  expr: `max by (namespace, model) (${ofScaledObjects("keda_scaled_object_paused")}) > 0`,
  for: "1d",
  severity: "info",
  summary: "Scaling of model {{ $labels.model }} has been paused for a day",
  description:
    "The ScaledObject of {{ $labels.namespace }} has the annotation autoscaling.keda.sh/paused: the model control API stopped {{ $labels.model }}, or a user paused it. Its replicas do not follow demand, and it does not wake. Start it again, or remove the annotation.",
  cases: {
    fires: {
      series: {
        ...modelNamespaceSeries("chat", "1x1600"),
        [`keda_scaled_object_paused${scaledObject("chat")}`]: "0x30 1x1570",
      },
      at: "1500m",
      labels: OF_CHAT,
    },
    // Started after 20 hours, and stopped again.
    quiet: {
      series: {
        ...modelNamespaceSeries("chat", "1x1600"),
        [`keda_scaled_object_paused${scaledObject("chat")}`]: "0x30 1x1200 0x10 1x360",
      },
      at: "1500m",
    },
  },
};

export const autoscaling: RuleSubject = {
  subject: "autoscaling",
  recording: [],
  alerts: [scalerErrors, scalingInactive, atMaximum, doesNotWake, paused],
};
