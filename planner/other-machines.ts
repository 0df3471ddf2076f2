/** What a pool could be made of where its machines are not to be had. */
import { FitCache } from "./fit-cache";
import { exchangeableShapes, onMachine } from "./fixes/pool-settings";
import { planDeployment } from "./plan";
import type { PlanRequest } from "./request";

/** Another machine of a pool, with which the whole plan holds. */
export interface OtherMachine {
  /** By its catalogue name. */
  readonly shape: string;
  /** Cost of the whole environment with it, as `CostPlan.monthlyUsd`. */
  readonly monthlyUsd: number;
}

/**
 * Machines of the same provider on which the models of a pool fit as they are asked for, cheapest plan first. Traffic is not simulated: a
 * level of service is judged once the change is planned.
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
