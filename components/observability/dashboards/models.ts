import { MODEL_NAMESPACE_SERIES, UNDER_WAY_SERIES } from "../../../names/recorded-series";
import { MODEL_ANSWERS, MODEL_ERRORS } from "../rules/error-series";
import { LEVEL } from "../rules/level-series";
import { KV_CACHE_LIMIT } from "../rules/limits";
import { REPLICAS } from "../rules/models";
import { OBJECTIVE } from "../rules/objectives";
import { PLANNED } from "../rules/planned-replicas";
import { CHOSEN, chosen, latency, rate } from "./queries";
import type { DashboardSpec } from "./spec";

export const models: DashboardSpec = {
  uid: "inference-models",
  title: "Models",
  description: "Times, load and replicas of models, next to what their plan promises.",
  variables: [{ name: "model", metric: MODEL_NAMESPACE_SERIES, label: "model" }],
  rows: [
    {
      title: "Times",
      panels: [
        {
          ...latency(
            "Time to first token",
            "A queue or long prompts raise it. Above 5 s without a promise: HighTimeToFirstToken fires.",
            "timeToFirstTokenSeconds",
            "firstToken",
            LEVEL.firstToken,
          ),
          alerts: ["HighTimeToFirstToken", "ErrorBudgetBurnsFast"],
        },
        {
          ...latency(
            "Between tokens",
            "What a reader feels while text streams in; promised: the mean of an answer.",
            "interTokenSeconds",
            "token",
            LEVEL.token,
          ),
          alerts: ["ErrorBudgetBurnsFast"],
        },
        {
          title: "Whole request, p99",
          description: "From request to last token. Of engines without such a figure as the gateway sees it.",
          unit: "ms",
          queries: [{ expr: `inference_p99_latency_ms${CHOSEN}`, legend: "{{model}}" }],
          alerts: ["RequestLatencyHigh"],
        },
        {
          title: "Error budget left",
          description: "Of 30 days. Below 0 the promise is broken. Empty: the model promises nothing.",
          unit: "percentunit",
          type: "gauge",
          max: 1,
          queries: [{ expr: `${OBJECTIVE.left}${CHOSEN}`, legend: "{{model}} {{objective}}" }],
          alerts: ["ErrorBudgetBurnsFast", "ErrorBudgetBurnsSlowly"],
        },
      ],
    },
    {
      title: "Load",
      panels: [
        {
          title: "Requests",
          description:
            "Waiting requests that never drain mean too few replicas. Engines without metrics have those at the gateway alone.",
          unit: "short",
          queries: [
            { expr: `sum by (model) (${chosen("requestsRunning")})`, legend: "{{model}} running" },
            { expr: `sum by (model) (${chosen("requestsWaiting")})`, legend: "{{model}} waiting" },
            { expr: `${UNDER_WAY_SERIES}${CHOSEN}`, legend: "{{model}} at the gateway" },
          ],
          alerts: ["RequestQueueGrowing", "EngineStalled"],
        },
        {
          title: "Tokens per second",
          description: "Read (prompt) and written (generated).",
          unit: "short",
          queries: [
            { expr: `sum by (model) (${rate("promptTokensTotal")})`, legend: "{{model}} read" },
            { expr: `sum by (model) (${rate("generatedTokensTotal")})`, legend: "{{model}} written" },
          ],
          alerts: ["ModelSilent"],
        },
        {
          title: "KV cache in use",
          description: "Per replica. Above the line for 10 minutes: the alert KvCacheAlmostFull fires.",
          unit: "percentunit",
          max: 1,
          limit: { above: KV_CACHE_LIMIT },
          queries: [{ expr: `max by (model, pod) (${chosen("kvCacheUsage")})`, legend: "{{pod}}" }],
          alerts: ["KvCacheAlmostFull"],
        },
        {
          title: "Requests by how they ended",
          description: "`error` and `abort` should be rare; preemptions mean that the KV cache was too small.",
          unit: "reqps",
          queries: [
            {
              expr: `sum by (model, finished_reason) (${rate("requestsTotal")})`,
              legend: "{{model}} {{finished_reason}}",
            },
            { expr: `sum by (model) (${rate("preemptionsTotal")})`, legend: "{{model}} preempted" },
          ],
        },
      ],
    },
    {
      title: "Errors and replicas",
      panels: [
        {
          title: "Share of errors",
          description: "Of the gateway's answers for the model; none while it sleeps.",
          unit: "percentunit",
          queries: [{ expr: `${MODEL_ERRORS}${CHOSEN} / (${MODEL_ANSWERS}${CHOSEN} > 0)`, legend: "{{model}}" }],
          alerts: ["ModelRequestsFailing"],
        },
        {
          title: "Replicas",
          description: "Ready and wanted, within the planned bounds.",
          unit: "short",
          queries: [
            { expr: `${REPLICAS.ready}${CHOSEN}`, legend: "{{model}} ready" },
            { expr: `${REPLICAS.wanted}${CHOSEN}`, legend: "{{model}} wanted" },
            { expr: `${PLANNED.max}${CHOSEN}`, legend: "{{model}} planned at most" },
          ],
          alerts: ["ModelUnavailable", "ReplicaLost", "ModelAtMaximum"],
        },
        {
          title: "GPUs, busy",
          description: "Of each model, on average. Under 30 % for an hour: the alert GpuIdle.",
          unit: "percent",
          max: 100,
          queries: [
            {
              expr: `avg by (model) (gpu_utilization_percent * on (namespace) group_left (model) ${MODEL_NAMESPACE_SERIES}${CHOSEN})`,
              legend: "{{model}}",
            },
          ],
          alerts: ["GpuIdle"],
        },
      ],
    },
  ],
};
