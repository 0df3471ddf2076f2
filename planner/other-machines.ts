import { FitCache } from "./fit-cache";
import { exchangeableShapes, onMachine } from "./fixes/pool-settings";
import { planDeployment } from "./plan";
import type { PlanRequest } from "./request";

export interface OtherMachine {
  /** Catalogue name. */
  readonly shape: string;
  /** Whole environment, as `CostPlan.monthlyUsd`. */
  readonly monthlyUsd: number;
}

/**
 * Machines of the same provider that fit a pool's models, cheapest plan first. Traffic is not
 * simulated: service levels are judged when the change is planned.
 */
export function otherMachines(request: PlanRequest, poolName: string): OtherMachine[] {
  const pool = request.pools.find(({ name }) => name === poolName);
  if (pool === undefined) {
    return [];
  }
  const fits = new FitCache();
  return exchangeableShapes(pool)
    .map(({ shape, price }) => ({
      shape: shape.name,
      plan: planDeployment(onMachine(request, pool, shape, price), fits),
    }))
    .filter(({ plan }) => plan.problems.every(({ severity }) => severity !== "mandatory"))
    .map(({ shape, plan }) => ({ shape, monthlyUsd: plan.cost.monthlyUsd }))
    .sort((a, b) => a.monthlyUsd - b.monthlyUsd);
}
