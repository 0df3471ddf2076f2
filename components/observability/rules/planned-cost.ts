/** Planned prices and costs as series, for actual figures. */
import { COST_SERIES, OF_NOBODY } from "../../../names/cost-series";
import { CALLED, CALLED_MODEL } from "../../../names/gateway-times";
import { HOURS_PER_MONTH } from "../../../planner/cost";
import type { DeploymentPlan, PoolPlan } from "../../../planner/types";
import type { CalledModel } from "./gateway-tokens";
import { exportedLabel } from "./models";
import type { RecordingRule, RuleSubject } from "./types";

export interface PlannedCosts {
  readonly pools: readonly Pick<
    PoolPlan,
    "name" | "role" | "selector" | "minNodes" | "scheduledNodeHours" | "usdPerNodeHour" | "monthlyUsd"
  >[];
  readonly cost: Pick<DeploymentPlan["cost"], "services">;
  readonly models: readonly Pick<DeploymentPlan["models"][number], "name" | "serverOf">[];
}

type Pool = PlannedCosts["pools"][number];

/** kube-state-metrics' allow list: labels that distinguish pools. */
export function nodeLabelsOf(pools: readonly Pick<Pool, "selector">[]): string[] {
  return [...new Set(pools.flatMap(({ selector }) => Object.keys(selector)))].sort();
}

export function plannedCost({ pools, cost, models }: PlannedCosts, called: readonly CalledModel[]): RuleSubject {
  const services = cost.services.reduce((sum, { monthlyUsd }) => sum + monthlyUsd, 0);
  return {
    subject: "planned-cost",
    recording: [
      ...pools.flatMap((pool) => [
        plannedSeries(pool.name, pool.monthlyUsd / HOURS_PER_MONTH),
        nodesSeries(pool, pools),
      ]),
      plannedSeries(OF_NOBODY.shared, services / HOURS_PER_MONTH),
      ...called.flatMap(({ model, names }) => {
        const { serverOf = model } = models.find(({ name }) => name === model) ?? {};
        return names.map((name) => calledSeries(serverOf, name));
      }),
    ],
    alerts: [],
  };
}

/** Spreads what is free of charge evenly. */
export function usdPerNodeHour({ minNodes, scheduledNodeHours, usdPerNodeHour: listed, monthlyUsd }: Pool): number {
  const hours = minNodes * HOURS_PER_MONTH + scheduledNodeHours;
  return hours > 0 ? monthlyUsd / hours : listed;
}

function plannedSeries(pool: string, usd: number): RecordingRule {
  return {
    record: COST_SERIES.planned,
    expr: `vector(${usd})`,
    labels: { pool },
    about:
      "What a pool, or all that is billed in addition to machines, costs in an average hour of the planned month, US dollars.",
    cases: { gives: { series: {}, at: "5m", samples: { [`${COST_SERIES.planned}{pool="${pool}"}`]: usd } } },
  };
}

function matchers({ selector }: Pick<Pool, "selector">): string {
  return Object.entries(selector)
    .map(([label, value]) => `${exportedLabel(label)}="${value}"`)
    .join(",");
}

/** Pools without a selector have the nodes that no other pool selects. */
function nodesSeries(pool: Pool, pools: readonly Pool[]): RecordingRule {
  const nodes = `kube_node_labels{${matchers(pool)}}`;
  const others = pools.filter((other) => other !== pool && Object.keys(other.selector).length > 0);
  const isRest = Object.keys(pool.selector).length === 0 && others.length > 0;
  const own = isRest
    ? `${nodes} unless on (node) (${others.map((other) => `kube_node_labels{${matchers(other)}}`).join(" or ")})`
    : nodes;
  const usd = usdPerNodeHour(pool);
  const labels = { pool: pool.name, role: pool.role };
  return {
    record: COST_SERIES.node,
    expr: `${usd} * max by (node) (${own})`,
    labels,
    about: "What a node that is there costs in an hour, by the plan's price.",
    cases: {
      gives: {
        series: { [`kube_node_labels{${['node="node-1"', matchers(pool)].filter(Boolean).join(",")}}`]: "1x10" },
        at: "5m",
        samples: { [`${COST_SERIES.node}{node="node-1",pool="${labels.pool}",role="${labels.role}"}`]: usd },
      },
    },
  };
}

function calledSeries(model: string, name: string): RecordingRule {
  const labels = { model, [CALLED_MODEL]: name };
  return {
    record: CALLED,
    expr: "vector(1)",
    labels,
    about: "1 for each name that clients call a model by, with the model whose pods answer.",
    cases: {
      gives: { series: {}, at: "5m", samples: { [`${CALLED}{model="${model}",${CALLED_MODEL}="${name}"}`]: 1 } },
    },
  };
}
