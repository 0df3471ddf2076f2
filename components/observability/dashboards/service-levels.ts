import { BURN_RATES } from "../rules/limits";
import { OBJECTIVE } from "../rules/objectives";
import { CHOSEN } from "./queries";
import type { DashboardSpec } from "./spec";

/** Speed of use of the budget, relative to 30 days. */
const burn = (window: string) =>
  `avg_over_time(${OBJECTIVE.bad}${CHOSEN}[${window}]) / (avg_over_time(${OBJECTIVE.all}${CHOSEN}[${window}]) > 0) / on (namespace, model, objective) (1 - ${OBJECTIVE.promised}${CHOSEN})`;
const LEGEND = "{{model}} {{objective}}";

export const serviceLevels: DashboardSpec = {
  uid: "inference-slo",
  title: "Service levels",
  description: "Error budgets of availability and times. Empty: no model has a serviceLevel.",
  variables: [{ name: "model", metric: OBJECTIVE.promised, label: "model" }],
  rows: [
    {
      title: "Error budgets of 30 days",
      panels: [
        {
          title: "Left",
          description: "1: all of it. 0: as many requests were bad as may be. Below: the promise is broken.",
          unit: "percentunit",
          type: "gauge",
          max: 1,
          queries: [{ expr: `${OBJECTIVE.left}${CHOSEN}`, legend: LEGEND }],
        },
        {
          title: "Left, over time",
          description: "A step down is an outage; a slope is a level that the model cannot keep.",
          unit: "percentunit",
          max: 1,
          queries: [{ expr: `${OBJECTIVE.left}${CHOSEN}`, legend: LEGEND }],
        },
        {
          title: "Promised",
          description: "Share of the requests that are to be good, by the plan.",
          unit: "percentunit",
          type: "stat",
          queries: [{ expr: `${OBJECTIVE.promised}${CHOSEN}`, legend: LEGEND }],
        },
      ],
    },
    {
      title: "Burn rates",
      panels: [
        {
          title: "Last hour",
          description: "Above the line, and in the last 5 minutes too: the alert ErrorBudgetBurnsFast fires.",
          unit: "short",
          limit: { above: BURN_RATES.hour },
          alerts: ["ErrorBudgetBurnsFast"],
          queries: [{ expr: burn("1h"), legend: LEGEND }],
        },
        {
          title: "Last six hours",
          description: "Above the line, and in the last 30 minutes too: the alert ErrorBudgetBurnsFast fires.",
          unit: "short",
          limit: { above: BURN_RATES.sixHours },
          alerts: ["ErrorBudgetBurnsFast", "ErrorBudgetBurnsSlowly"],
          queries: [{ expr: burn("6h"), legend: LEGEND }],
        },
        {
          title: "Bad requests",
          description: "A second: errors of the server, first tokens that came late, answers whose tokens did.",
          unit: "reqps",
          queries: [{ expr: `${OBJECTIVE.bad}${CHOSEN}`, legend: LEGEND }],
        },
      ],
    },
  ],
};
