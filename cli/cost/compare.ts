/** The plan compared with actual costs, each difference as effects that add up to it. All figures are for a month at the pace of the time asked for. */
import { OF_NOBODY } from "../../names/cost-series";
import { HOURS_PER_MONTH } from "../../planner/cost";
import type { DeploymentPlan, ModelPlan, PoolPlan } from "../../planner/types";
import type { Figures } from "./figures";

/** One reason of a difference, and what it makes of it. */
export interface Effect {
  readonly text: string;
  readonly usd: number;
}

export interface CostLine {
  readonly name: string;
  readonly planUsd: number;
  readonly actualUsd: number;
  readonly differenceUsd: number;
  /** Of the plan; null where that is 0. */
  readonly differencePercent: number | null;
  /** Of a difference above 5 %; they add up to it. */
  readonly why: readonly Effect[];
}

export interface ModelLine extends CostLine {
  /** What its pods claim of nodes. */
  readonly allocatedUsd: number;
  /** Its part of what no model claims. */
  readonly idleUsd: number;
  /** What of the allocation its GPUs were busy for; null where no GPU reports it. */
  readonly usedUsd: number | null;
  readonly replicas: number;
  readonly tokensPerSecond: number;
  /** As OpenCost allocates; null where it was not asked, or does not know the model. */
  readonly openCostUsd: number | null;
}

export interface TenantLine {
  readonly name: string;
  readonly actualUsd: number;
  readonly percent: number;
  readonly tokensPerSecond: number;
}

export interface CostReport {
  /** Hours that are recorded of the time asked for. */
  readonly hours: number;
  readonly total: CostLine;
  readonly pools: readonly CostLine[];
  readonly models: readonly ModelLine[];
  readonly tenants: readonly TenantLine[];
  /** What the bill has besides, and no figure here counts. */
  readonly notPriced: readonly string[];
}

/** From how far off a difference is explained. */
export const EXPLAINED_FROM = 0.05;

export type Costed = Pick<DeploymentPlan, "pools" | "models" | "cost">;

/** @param openCost US dollars in the time that was recorded, by model. */
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

/** What prices make of it: those of the deployed plan are recorded, this one may have others. */
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
  // Not measured: what clouds bill in addition to machines is the same as planned.
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

/** What of a pool nobody claims, for each dollar that is claimed: as the plan shares GPUs that are left, and no memory of CPU nodes. */
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
