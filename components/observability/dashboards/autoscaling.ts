import { metric } from "../../../engines/metrics";
import { UNMET_REQUESTS_SERIES } from "../../../names/recorded-series";
import { unreadSignals } from "../rules/autoscaling";
import { CPU_QUEUE_LIMIT } from "../rules/limits";
import { ofModels, REPLICAS } from "../rules/models";
import { PLANNED } from "../rules/planned-replicas";
import { CHOSEN } from "./queries";
import type { DashboardSpec } from "./spec";

/** KEDA's series of the chosen models. */
function ofScaledObjects(expr: string): string {
  const named = `label_replace(${expr}, "namespace", "$1", "exported_namespace", "(.+)")`;
  return `${ofModels(named)} and on (namespace, model) ${PLANNED.max}${CHOSEN}`;
}

export const autoscaling: DashboardSpec = {
  uid: "inference-autoscaling",
  title: "Autoscaling",
  description: "Replicas of each model next to the plan, and what scales them. Empty rows: nothing is scaled.",
  variables: [{ name: "model", metric: PLANNED.max, label: "model" }],
  rows: [
    {
      title: "Replicas",
      panels: [
        {
          title: "Wanted and ready",
          description: "Ready lags by the time of a start. For longer: the alert ReplicaLost, or ModelUnavailable.",
          alerts: ["ReplicaLost", "ModelUnavailable"],
          unit: "short",
          queries: [
            { expr: `${REPLICAS.wanted}${CHOSEN}`, legend: "{{model}} wanted" },
            { expr: `${REPLICAS.ready}${CHOSEN}`, legend: "{{model}} ready" },
          ],
        },
        {
          title: "Planned bounds",
          description: "replicas.min and replicas.max. At the maximum with demand left: the alert ModelAtMaximum.",
          alerts: ["ModelAtMaximum"],
          unit: "short",
          queries: [
            { expr: `${PLANNED.min}${CHOSEN}`, legend: "{{model}} least" },
            { expr: `${PLANNED.max}${CHOSEN}`, legend: "{{model}} most" },
          ],
        },
        {
          title: "Asleep",
          description: "Models with no wanted replica: asleep, or stopped by the model control API.",
          unit: "short",
          type: "stat",
          queries: [{ expr: `count(${REPLICAS.wanted}${CHOSEN} == 0) or vector(0)`, legend: "models" }],
        },
        {
          title: "Planned time to one more",
          description: "A new replica answers within this time, new node included; else alerts fire.",
          unit: "s",
          type: "stat",
          queries: [{ expr: `${PLANNED.start}${CHOSEN}`, legend: "{{model}}" }],
        },
      ],
    },
    {
      title: "Demand",
      panels: [
        {
          title: "Signals as KEDA reads them",
          description: "By trigger, before division by replicas. A flat line while users wait: see the errors.",
          unit: "short",
          queries: [{ expr: ofScaledObjects("keda_scaler_metrics_value"), legend: "{{model}} {{scaler}}" }],
        },
        {
          title: "Waiting requests per replica",
          description: "In engines that report it. Steady above the queue target: scaling is late, or at its maximum.",
          unit: "short",
          queries: [
            {
              expr: `sum by (model) (${metric("requestsWaiting", (series) => `${series}${CHOSEN}`)}) / on (model) sum by (model) (${REPLICAS.ready}${CHOSEN} > 0)`,
              legend: "{{model}}",
            },
          ],
        },
        {
          title: "Requests that found no replica",
          description: "Requests to models that may sleep, in two minutes, retries included. They wake the model.",
          unit: "short",
          queries: [{ expr: `${UNMET_REQUESTS_SERIES}${CHOSEN}`, legend: "{{model}}" }],
        },
        {
          title: "Tasks that wait for a CPU",
          description: "On the node of a model's replicas where most do. Above the line: the alert CpuQueueLong.",
          alerts: ["CpuQueueLong"],
          limit: { above: CPU_QUEUE_LIMIT },
          unit: "short",
          queries: [{ expr: `cpu_queue_length${CHOSEN}`, legend: "{{model}}" }],
        },
      ],
    },
    {
      title: "Who scales",
      panels: [
        {
          title: "Signals that KEDA could not read",
          description: "Per minute. Not 0 for 10 minutes: the alert ScalerErrors. Replicas may look healthy meanwhile.",
          alerts: ["ScalerErrors"],
          unit: "short",
          queries: [
            {
              expr: `60 * ${unreadSignals((series) => `rate(${series}[$__rate_interval])`)} and on (model) ${PLANNED.max}${CHOSEN}`,
              legend: "{{model}}",
            },
          ],
        },
        {
          title: "Active triggers",
          description: "1: the trigger keeps its model awake. A model without any, for its idle time, falls asleep.",
          unit: "short",
          queries: [{ expr: ofScaledObjects("keda_scaler_active"), legend: "{{model}} {{scaler}}" }],
        },
        {
          title: "Paused",
          description: "1: stopped by the model control API, or paused by hand; after a day the alert ScalingPaused.",
          alerts: ["ScalingPaused"],
          unit: "short",
          queries: [{ expr: ofScaledObjects("keda_scaled_object_paused"), legend: "{{model}}" }],
        },
        {
          title: "Without figures",
          description: "1: Kubernetes gets no figure to scale by; the alert ScalingInactive, unless the model sleeps.",
          alerts: ["ScalingInactive"],
          unit: "short",
          queries: [
            {
              expr: `${ofModels('max by (namespace) (kube_horizontalpodautoscaler_status_condition{condition="ScalingActive",status="false"})')} and on (namespace, model) ${PLANNED.max}${CHOSEN}`,
              legend: "{{model}}",
            },
          ],
        },
      ],
    },
  ],
};
