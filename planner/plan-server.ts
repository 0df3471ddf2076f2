import { busyReplica } from "./level/sizing";
import type { ModelCost } from "./model-cost";
import type { Placement } from "./placement";
import { type ModelSurroundings, planModel } from "./plan-model";
import { planScaling } from "./scaling";
import type { PlaceOfReplicas } from "./scaling-place";
import { startupOf } from "./start-of";
import { expectedStartSeconds } from "./startup";
import type { ModelPlan, PodResources, PoolPlan, ServerPlan } from "./types";

/** Guests have no pod to make requests. */
const NO_POD: PodResources = { cpu: 0, memoryGiB: 0, ephemeralStorageGiB: 0, sharedMemoryGiB: 0, gpus: 0 };

/**
 * Everything decided for a placed server, host first. A replica is ready when all models are
 * loaded, one after the other. They share its cost by memory. Scaling the host scales all.
 */
export function planServer(
  { model: host, guests, candidate }: Placement,
  pool: PoolPlan,
  cost: ModelCost,
  environment: ModelSurroundings,
  place: PlaceOfReplicas,
): ModelPlan[] {
  const models = [host, ...guests];
  const starts = models.map((model) => expectedStartSeconds(startupOf(model, candidate, pool, environment)));
  const loadSeconds = starts.reduce((sum, seconds) => sum + seconds, 0);
  // All models' requests count against what the host alone runs: they may all be for one model, and
  // a replica too early costs less than queued requests.
  const scaling = planScaling(host, { ...place, loadSeconds }, busyReplica(host, candidate.sizing));
  const plans = models.map((model, index): ModelPlan => {
    const estimate = candidate.each[index] ?? candidate.estimate;
    const plan = planModel(model, { ...candidate, estimate }, pool, cost, environment);
    return model === host && scaling ? { ...plan, scaling } : plan;
  });
  if (guests.length === 0) {
    return plans;
  }
  const { weightsGiB, kvCacheGiB, overheadGiB, totalGiB, limitGiB } = candidate.estimate.perGpu;
  const server: ServerPlan = {
    models: plans.map(({ name }) => name),
    memoryPerGpu: { weightsGiB, kvCacheGiB, overheadGiB, totalGiB, limitGiB },
    mostGiB: totalGiB + candidate.estimate.verdict.intervalGiB.above,
    storageGiB: plans.reduce((sum, { modelStorageGiB }) => sum + modelStorageGiB, 0),
  };
  const startupBudgetSeconds = plans.reduce((sum, plan) => sum + plan.startupBudgetSeconds, 0);
  const [first] = plans;
  return plans.map((plan): ModelPlan => {
    const share = plan.memoryPerGpu.totalGiB / totalGiB;
    return {
      ...plan,
      startupBudgetSeconds,
      hourlyUsd: (first?.hourlyUsd ?? 0) * share,
      monthlyUsd: (first?.monthlyUsd ?? 0) * share,
      ...(plan.name === host.name ? { server } : { serverOf: host.name, resources: NO_POD }),
      notes: [...plan.notes, noteOf(server)],
    };
  });
}

function noteOf({ models, memoryPerGpu: { totalGiB, limitGiB }, mostGiB }: ServerPlan): string {
  const above = (mostGiB - totalGiB).toFixed(1);
  return `one server holds ${models.join(", ")}: ${totalGiB.toFixed(1)} +${above} of ${limitGiB.toFixed(1)} GiB together; the limit of each is what the others leave`;
}
