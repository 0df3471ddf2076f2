import { availabilityProblems } from "./availability/placed-level";
import { type BilledPlan, cloudServices } from "./cloud-services";
import { costOf } from "./cost";
import { FitCache } from "./fit-cache";
import { confirmedPlaces } from "./level/confirmed-places";
import { trafficProblems } from "./level/problems";
import { modelCost } from "./model-cost";
import { type Places, placesOf } from "./places";
import { numaProblems, planPools } from "./plan-pools";
import { planServer } from "./plan-server";
import { maximumProblems, overBudget } from "./problems";
import type { PlanRequest } from "./request";
import { placeOfReplicas } from "./scaling-place";
import { scalingProblems } from "./scaling-problems";
import { overlappingPools } from "./selectors";
import { planStorage, storeProblem } from "./storage";
import type { StoragePlan } from "./storage-plan";
import type { CapacityProblem, CostPlan, DeploymentPlan, ExternalModelPlan, ModelPlan, PoolPlan } from "./types";

export interface PlanOptions {
  /** Simulates each model's traffic: some hundredths of a second. @default closed form only */
  readonly simulates?: boolean;
}

/**
 * Decides everything that resources need: pools, GPUs and nodes of each model, cost, and all
 * reasons against the deployment. Pure: the same request gives the same plan, in any order of
 * models.
 *
 * @param fits answers of earlier plans for nearly the same request.
 */
export function planDeployment(request: PlanRequest, fits = new FitCache(), options: PlanOptions = {}): DeploymentPlan {
  return planPlaced(request, placesOf(request, fits), options);
}

/** With rates that a simulation of each model's traffic confirms. */
export function planConfirmed(asked: PlanRequest, fits: FitCache, options: PlanOptions = {}): DeploymentPlan {
  const { request, places } = confirmedPlaces(asked, fits);
  return planPlaced(request, places, options);
}

function planPlaced(
  request: PlanRequest,
  { placements, assignment, phases, unplaced, problems: ofPlaces }: Places,
  { simulates = false }: PlanOptions,
): DeploymentPlan {
  const problems: CapacityProblem[] = [...ofPlaces];
  const pools = planPools(request, placements, assignment, phases);
  problems.push(...overlappingPools(request.pools), ...maximumProblems(request.pools, placements, assignment));
  problems.push(...numaProblems(request, placements), ...placements.flatMap(trafficProblems));
  problems.push(...placements.flatMap(({ model, candidate }) => availabilityProblems(model, candidate, request.pools)));
  const { externalModels = [] } = request;
  const billed = pools.map((pool) => pool.billed);
  const machines = costOf(billed, request.monthlyBudgetUsd);
  const poolPlans = pools.map(({ plan }, i): PoolPlan => {
    const { monthlyUsd = 0, maxMonthlyUsd = 0 } = machines.items[i] ?? {};
    return { ...plan, monthlyUsd, maxMonthlyUsd };
  });
  const planned = placements.flatMap((placement) => {
    const pool = poolOf(poolPlans, placement.candidate.pool);
    const packing = assignment.packings.get(pool.name);
    const here = placements.filter(({ candidate }) => candidate.pool === pool.name);
    return planServer(
      placement,
      pool,
      modelCost(placement, pool, here),
      { ...request, simulates },
      placeOfReplicas(placement, pool, packing, placements, request),
    );
  });
  const modelPlans = request.models.flatMap(({ name }) => planned.find((m) => m.name === name) ?? []);
  const storage = planStorage(request, modelPlans);
  const services =
    request.billing && cloudServices(request.billing, billedPlan(request, poolPlans, modelPlans, storage));
  const priced = services ? costOf(billed, request.monthlyBudgetUsd, services) : machines;
  const cost = billedElsewhere(priced, externalModels, storage);
  if (request.monthlyBudgetUsd !== undefined && cost.monthlyUsd > request.monthlyBudgetUsd) {
    problems.push(overBudget(cost.monthlyUsd, request.monthlyBudgetUsd));
  }
  problems.push(...placements.flatMap((placement) => scalingProblems(placement, request.pools, modelPlans)));
  const store = storeProblem(request, modelPlans);
  return {
    environment: request.environment,
    stage: request.stage,
    pools: poolPlans,
    models: modelPlans,
    unplaced,
    externalModels,
    groups: request.groups ?? [],
    ...(request.mesh && { mesh: request.mesh }),
    tenants: request.tenants ?? [],
    ...(request.tokenIssuer && { tokenIssuer: request.tokenIssuer }),
    ...(request.receiverAuthorities && { receiverAuthorities: request.receiverAuthorities }),
    ...(request.sourceAuthorities && { sourceAuthorities: request.sourceAuthorities }),
    storage,
    cost,
    problems: store ? [...problems, store] : problems,
  };
}

function billedPlan(
  { pools: requests }: PlanRequest,
  pools: readonly PoolPlan[],
  models: readonly ModelPlan[],
  { sizeGiB }: StoragePlan,
): BilledPlan {
  const disks = requests.flatMap(({ name, bootVolumeGiB }) =>
    bootVolumeGiB === undefined ? [] : [[name, bootVolumeGiB] as const],
  );
  return { pools, models, storeGiB: sizeGiB, bootVolumeGiB: new Map(disks) };
}

/** What others bill, so that this bill does not look complete. */
function billedElsewhere(
  cost: CostPlan,
  externalModels: readonly ExternalModelPlan[],
  { bucket, bucketGiB }: StoragePlan,
): CostPlan {
  const names = externalModels.map(({ name }) => name).join(", ");
  const others = [
    ...(externalModels.length > 0 ? [`external models (${names})`] : []),
    ...(bucketGiB === undefined ? [] : [`bucket ${bucket} of the model store (${bucketGiB} GiB)`]),
  ];
  return others.length === 0 ? cost : { ...cost, notPriced: [...cost.notPriced, ...others] };
}

function poolOf(pools: readonly PoolPlan[], name: string): PoolPlan {
  const pool = pools.find((p) => p.name === name);
  if (!pool) {
    throw new Error(`no pool "${name}" in the plan`);
  }
  return pool;
}
