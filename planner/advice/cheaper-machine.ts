import type { MachineShape } from "../../catalog/shapes";
import { exchangeableShapes, onMachine } from "../fixes/pool-settings";
import type { Replanning } from "../fixes/setting";
import type { PoolRequest } from "../request";
import { hostsOf } from "../shared-servers";
import type { CapacityProblem, DeploymentPlan, MemoryPerGpu, ModelPlan, PoolPlan } from "../types";
import { samePlaces, wholeUsd } from "./comparison";
import { hostMemory } from "./host-memory";

/** Share of the engine's memory below which a GPU counts as mostly empty. */
const MOSTLY_EMPTY = 1 / 3;
/** Share of claimed GPUs up to which a smaller machine is tried. */
const MOSTLY_FREE = 1 / 2;
/** Smallest share of the pool's cost worth a change of machine. */
const WORTH_SAYING = 0.1;
/** Machines tried per pool, cheapest first. */
const MOST_TRIALS = 12;

export function cheaperMachine(context: Replanning): CapacityProblem[] {
  return context.request.pools.flatMap((pool): CapacityProblem[] => {
    const planned = context.plan.pools.find((p) => p.name === pool.name);
    const waste = planned && wasteOf(context.plan, planned);
    const better = waste && cheapestMachine(context, pool, planned);
    if (!better) {
      return [];
    }
    const { shape, savedUsd } = better;
    return [
      {
        severity: "advisory",
        rule: "cheaper-machine",
        subject: `pools.${pool.name}.shape`,
        message: `${waste} of ${pool.shape.name}. On ${shape.name} (${shape.gpu?.count} × ${shape.gpu?.model}) the same models fit, for ${wholeUsd(savedUsd)} USD a month less. Memory alone is compared: a smaller card also answers more slowly.`,
      },
    ];
  });
}

/** Unused share of a pool's GPUs, as a sentence start; undefined when they are used. */
function wasteOf({ models }: DeploymentPlan, pool: PoolPlan): string | undefined {
  const here = hostsOf(models).filter((m) => m.pool === pool.name && m.gpusPerNode > 0);
  if (here.length === 0 || pool.gpusTotal === 0) {
    return undefined;
  }
  const fullest = here.reduce((best, m) => (fillOf(m) > fillOf(best) ? m : best));
  if (fillOf(fullest) <= MOSTLY_EMPTY) {
    const { totalGiB, limitGiB } = memoryOf(fullest);
    const name = fullest.server ? `the server of ${fullest.server.models.join(", ")}` : fullest.name;
    return `${name} takes ${totalGiB.toFixed(1)} of ${limitGiB.toFixed(1)} GiB of a GPU`;
  }
  return pool.gpusClaimed <= pool.gpusTotal * MOSTLY_FREE
    ? `models claim ${pool.gpusClaimed} of ${pool.gpusTotal} GPUs`
    : undefined;
}

function fillOf(model: ModelPlan): number {
  const { totalGiB, limitGiB } = memoryOf(model);
  return totalGiB / limitGiB;
}

/** All models of its server. */
function memoryOf({ server, memoryPerGpu }: ModelPlan): MemoryPerGpu {
  return server?.memoryPerGpu ?? memoryPerGpu;
}

/** The machine with the environment's lowest cost, if the saving matters and no problem arises. */
function cheapestMachine(
  { request, plan, again }: Replanning,
  pool: PoolRequest,
  planned: PoolPlan,
): { readonly shape: MachineShape; readonly savedUsd: number } | undefined {
  const advised = hostMemory({ plan }).length;
  const better = exchangeableShapes(pool)
    .filter(({ price }) => price < pool.usdPerNodeHour)
    .slice(0, MOST_TRIALS)
    .flatMap(({ shape, price }) => {
      const changed = again(onMachine(request, pool, shape, price));
      const sound =
        changed.problems.length === 0 && samePlaces(plan, changed) && hostMemory({ plan: changed }).length <= advised;
      const savedUsd = plan.cost.monthlyUsd - changed.cost.monthlyUsd;
      return sound && savedUsd >= planned.monthlyUsd * WORTH_SAYING ? [{ shape, savedUsd }] : [];
    });
  return better.toSorted((a, b) => b.savedUsd - a.savedUsd)[0];
}
