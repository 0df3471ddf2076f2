/**
 * Plan against actual costs; effects add up to each difference. Figures are monthly, at the pace of
 * the requested time.
 */
import { OF_NOBODY } from "../../names/cost-series";
import { HOURS_PER_MONTH } from "../../planner/cost";
import type { DeploymentPlan, ModelPlan, PoolPlan } from "../../planner/types";
import type { Figures } from "./figures";

/** A reason of a difference, with its amount. */
export interface Effect {
  readonly text: string;
  readonly usd: number;
}

export interface CostLine {
  readonly name: string;
  readonly planUsd: number;
  readonly actualUsd: number;
  readonly differenceUsd: number;
  /** Percent of the plan; null where that is 0. */
  readonly differencePercent: number | null;
  /** Reasons of a difference above 5 %; they add up to it. */
  readonly why: readonly Effect[];
}

export interface ModelLine extends CostLine {
  /** Share of nodes claimed by its pods. */
  readonly allocatedUsd: number;
  /** Share of unclaimed resources. */
  readonly idleUsd: number;
  /** Allocation while its GPUs were busy; null where none reports it. */
  readonly usedUsd: number | null;
  readonly replicas: number;
  readonly tokensPerSecond: number;
  /** OpenCost's allocation; null if not asked, or unknown to it. */
  readonly openCostUsd: number | null;
}

export interface TenantLine {
  readonly name: string;
  readonly actualUsd: number;
  readonly percent: number;
  readonly tokensPerSecond: number;
}

export interface CostReport {
  /** Recorded hours. */
  readonly hours: number;
  readonly total: CostLine;
  readonly pools: readonly CostLine[];
  readonly models: readonly ModelLine[];
  readonly tenants: readonly TenantLine[];
  /** Billed items that no figure includes. */
  readonly notPriced: readonly string[];
}

/** Smallest explained difference. */
export const EXPLAINED_FROM = 0.05;

export type Costed = Pick<DeploymentPlan, "pools" | "models" | "cost">;

/** @param openCost US dollars in the recorded time, by model. */
export function compare(plan: Costed, figures: Figures, openCost?: ReadonlyMap<string, number>): CostReport {
  const pools = [...plan.pools.map((pool) => poolLine(pool, plan, figures)), sharedLine(plan)];
  const models = plan.models
    .filter(({ serverOf }) => serverOf === undefined)
    .map((model) => modelLine(model, plan, figures, openCost));
  const effects = pools.flatMap(({ name, differenceUsd }) =>
    Math.abs(differenceUsd) < 0.005 ? [] : [{ text: `pool ${name}`, usd: differenceUsd }],
  );
  return {
    hours: figures.hours,
    total: line("total", plan.cost.monthlyUsd, monthly(figures.total), () => effects),
    pools,
    models,
    tenants: tenantLines(figures),
    notPriced: plan.cost.notPriced,
  };
}

const monthly = (usdPerHour: number) => usdPerHour * HOURS_PER_MONTH;

function line(name: string, planUsd: number, actualUsd: number, effects: (difference: number) => Effect[]): CostLine {
  const differenceUsd = actualUsd - planUsd;
  const isLarge = Math.abs(differenceUsd) > EXPLAINED_FROM * planUsd && Math.abs(differenceUsd) >= 0.005;
  return {
    name,
    planUsd,
    actualUsd,
    differenceUsd,
    differencePercent: planUsd > 0 ? (100 * differenceUsd) / planUsd : null,
    why: isLarge ? withRest(effects(differenceUsd), differenceUsd, planUsd) : [],
  };
}

/** The rest is due to prices: recorded ones are of the deployed plan, which may differ. */
function withRest(effects: readonly Effect[], difference: number, planUsd: number): Effect[] {
  const some = effects.filter(({ usd }) => Math.abs(usd) >= 0.005);
  const rest = difference - effects.reduce((sum, { usd }) => sum + usd, 0);
  const isSmall = Math.abs(rest) <= Math.max(0.005, 0.01 * planUsd);
  return isSmall
    ? some
    : [...some, { text: "the plan in the cluster has other prices or pools than this file: run pulumi up", usd: rest }];
}

const count = (value: number) => String(Math.round(value * 100) / 100);

function poolLine(pool: PoolPlan, plan: Costed, figures: Figures): CostLine {
  const { name, minNodes, scheduledNodeHours, monthlyUsd } = pool;
  const { usd = 0, nodes = 0, unclaimed = 0 } = figures.pools.get(name) ?? {};
  const planned = minNodes + scheduledNodeHours / HOURS_PER_MONTH;
  return line(name, monthlyUsd, monthly(usd), () => {
    const usdOfNode = nodes > 0 ? usd / nodes : planned > 0 ? monthlyUsd / HOURS_PER_MONTH / planned : 0;
    const bySchedule =
      scheduledNodeHours > 0 ? ` (${minNodes} always, ${count(scheduledNodeHours)} node hours by schedules)` : "";
    return [
      {
        text: `${count(nodes)} nodes on average, ${count(planned)} planned${bySchedule}: ${nodesReason(pool, plan, figures, nodes > planned, unclaimed)}`,
        usd: monthly((nodes - planned) * usdOfNode),
      },
    ];
  });
}

function nodesReason({ name }: PoolPlan, plan: Costed, figures: Figures, isMore: boolean, unclaimed: number): string {
  const moved = plan.models.flatMap((model) => {
    const replicas = figures.models.get(model.name)?.replicas;
    const isHere = model.pool === name && model.serverOf === undefined && replicas !== undefined;
    const differs = isHere && (isMore ? replicas > model.minReplicas + 0.05 : replicas < model.minReplicas - 0.05);
    return differs
      ? [`${model.name} ran ${count(replicas)} replicas on average, at least ${model.minReplicas} planned`]
      : [];
  });
  const idle = `${count(monthly(unclaimed))} USD a month that no model claims`;
  if (isMore) {
    return moved.length > 0
      ? `${moved.join("; ")}; ${idle}`
      : `nodes stayed after demand, or were added by hand; ${idle}`;
  }
  return moved.length > 0 ? moved.join("; ") : "nodes were not there all the time: stopped, lost, or not created yet";
}

function sharedLine({ cost }: Costed): CostLine {
  const usd = cost.services.reduce((sum, { monthlyUsd }) => sum + monthlyUsd, 0);
  // Not measured: services other than machines cost as planned.
  return line(OF_NOBODY.shared, usd, usd, () => []);
}

function modelLine(
  model: ModelPlan,
  { pools }: Costed,
  figures: Figures,
  openCost: ReadonlyMap<string, number> | undefined,
): ModelLine {
  const found = figures.models.get(model.name);
  const { allocated = new Map<string, number>(), used, replicas = 0, tokensPerSecond = 0 } = found ?? {};
  const allocatedUsd = monthly(sum([...allocated.values()]));
  const idleUsd = monthly(
    sum(
      [...allocated].map(
        ([pool, usd]) =>
          usd *
          idleOf(
            pools.find(({ name }) => name === pool),
            pool,
            figures,
          ),
      ),
    ),
  );
  const pool = pools.find(({ name }) => name === model.pool);
  const claimedPart = pool !== undefined && pool.gpusTotal > 0 ? pool.gpusClaimed / pool.gpusTotal : 1;
  const plannedAllocation = model.monthlyUsd * claimedPart;
  const inWindow = openCost?.get(model.name);
  return {
    ...line(model.name, model.monthlyUsd, allocatedUsd + idleUsd, () => [
      {
        text: `${count(replicas)} replicas ready on average, at least ${model.minReplicas} planned${trafficText(model, tokensPerSecond)}`,
        usd: allocatedUsd - plannedAllocation,
      },
      {
        text: "its part of what no model claims of the pool's nodes",
        usd: idleUsd - (model.monthlyUsd - plannedAllocation),
      },
    ]),
    allocatedUsd,
    idleUsd,
    usedUsd: used === undefined ? null : monthly(used),
    replicas,
    tokensPerSecond,
    openCostUsd: inWindow === undefined || figures.hours <= 0 ? null : (inWindow / figures.hours) * HOURS_PER_MONTH,
  };
}

/**
 * Unclaimed part of a pool per claimed dollar: as in plans, free GPUs are shared out, and memory of
 * CPU nodes is not.
 */
function idleOf(pool: PoolPlan | undefined, name: string, figures: Figures): number {
  const { usd = 0, unclaimed = 0 } = figures.pools.get(name) ?? {};
  return pool?.shape.gpu === undefined || usd <= unclaimed ? 0 : unclaimed / (usd - unclaimed);
}

function trafficText({ traffic }: Pick<ModelPlan, "traffic">, tokensPerSecond: number): string {
  if (traffic === undefined) {
    return "";
  }
  const planned = traffic.requestsPerSecond * (traffic.inputTokens + traffic.outputTokens);
  return `, ${count(tokensPerSecond)} tokens a second of the ${count(planned)} in its traffic`;
}

function tenantLines({ tenants }: Figures): TenantLine[] {
  const all = sum(tenants.map(({ usd }) => usd));
  return tenants
    .map(({ tenant, usd, tokensPerSecond }) => ({
      name: tenant,
      actualUsd: monthly(usd),
      percent: all > 0 ? (100 * usd) / all : 0,
      tokensPerSecond,
    }))
    .sort((a, b) => b.actualUsd - a.actualUsd);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
