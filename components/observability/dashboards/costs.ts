import { COST_SERIES, OF_NOBODY, TENANT_TOKENS_SERIES } from "../../../names/cost-series";
import type { DashboardSpec } from "./spec";

const { planned, node, model, used, unclaimed, tenant, total } = COST_SERIES;
const HOURS = 730;

/** Actual cost next to the plan's. */
export const costs: DashboardSpec = {
  uid: "inference-costs",
  title: "Costs",
  description: "US dollars, by the plan's prices. npm run cost explains the differences (docs/cost.md).",
  variables: [],
  rows: [
    {
      title: "Plan and bill",
      panels: [
        {
          title: "Cost per hour",
          alerts: ["CostDriftsFromPlan"],
          description: "More than a tenth off the plan for a week: the alert CostDriftsFromPlan fires.",
          unit: "currencyUSD",
          queries: [
            { expr: total, legend: "actual" },
            { expr: `sum(${planned})`, legend: "planned, on average" },
          ],
        },
        {
          title: "A month at the pace of seven days",
          description: "Compared with an average month of the plan.",
          unit: "currencyUSD",
          type: "stat",
          queries: [
            { expr: `${HOURS} * avg_over_time(${total}[7d])`, legend: "actual" },
            { expr: `${HOURS} * sum(${planned})`, legend: "planned" },
          ],
        },
        {
          title: "By pool",
          description: "Nodes that are there. Above the plan's line: replicas follow demand, or nodes stayed.",
          unit: "currencyUSD",
          queries: [
            { expr: `sum by (pool) (${node})`, legend: "{{pool}}" },
            { expr: planned, legend: "{{pool}} planned" },
          ],
        },
      ],
    },
    {
      title: "Who uses it",
      panels: [
        {
          title: "Models: allocated and used",
          description: "Per hour. Used: what their GPUs were busy for. Far apart: fewer replicas, or a shared pool.",
          unit: "currencyUSD",
          queries: [
            { expr: `sum by (model) (${model})`, legend: "{{model}} allocated" },
            { expr: used, legend: "{{model}} used" },
          ],
        },
        {
          title: "Tenants",
          description: `Per hour, by tokens. ${OF_NOBODY.unallocated}: models without requests. ${OF_NOBODY.idle}: nodes that no model claims.`,
          unit: "currencyUSD",
          queries: [{ expr: `sum by (tenant) (${tenant})`, legend: "{{tenant}}" }],
        },
        {
          title: "Nodes that no model claims",
          description: "Per hour, by pool. For hours: nodes that nothing needs, or requests that fit no node.",
          unit: "currencyUSD",
          queries: [{ expr: `sum by (pool) (${unclaimed}{role!="system"})`, legend: "{{pool}}" }],
        },
        {
          title: "Tokens",
          description: "Of prompts and answers in a second, over the last hour: what a model's cost is shared by.",
          unit: "short",
          queries: [{ expr: TENANT_TOKENS_SERIES, legend: "{{tenant}} {{model}}" }],
        },
      ],
    },
  ],
};
