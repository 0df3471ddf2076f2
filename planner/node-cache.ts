import { BYTES_PER_GIB } from "../names/units";
import { nodeRoom, podShare } from "./node-share";
import { isCached } from "./storage";
import type { CapacityProblem, ModelPlan, PoolPlan } from "./types";

type Pool = Pick<PoolPlan, "name" | "shape" | "nodeCacheGiB">;
type Model = Pick<ModelPlan, "name" | "pool" | "loading" | "resources" | "weightsGB">;

/**
 * Caches that cannot hold what pods of one node use at once, and one model more: its next revision is copied while the
 * files in use stay.
 */
export function nodeCacheProblems(pools: readonly Pool[], models: readonly Model[]): CapacityProblem[] {
  const needs = pools.flatMap((pool) => {
    const cached = models.filter((model) => model.pool === pool.name && isCached(model));
    return pool.nodeCacheGiB === undefined ? [] : [{ pool, needGiB: cacheNeedGiB(pool, cached), cached }];
  });
  const [largest] = needs.sort((a, b) => b.needGiB - a.needGiB);
  if (largest === undefined || largest.needGiB <= (largest.pool.nodeCacheGiB ?? 0)) {
    return [];
  }
  const { pool, needGiB, cached } = largest;
  const each = cached.map((model) => `${model.name} ${filesGiB(model)}`).join(", ");
  return [
    {
      severity: "mandatory",
      rule: "node-cache",
      subject: "storage.nodeCacheGiB",
      message: `storage.nodeCacheGiB is ${pool.nodeCacheGiB}; pods of one node of pools.${pool.name} may use ${needGiB} GiB with the next revision of a model: ${each}. Write storage.nodeCacheGiB: ${needGiB} or more, or remove it: each pod then copies its own model.`,
    },
  ];
}

function cacheNeedGiB({ shape }: Pool, models: readonly Model[]): number {
  const takes = ({ resources }: Model) => podShare(shape, resources);
  return mostFilesGiB(models, takes, nodeRoom(shape)) + Math.max(0, ...models.map(filesGiB));
}

/** Worst case over all sets of different models that fit on a node (0/1 knapsack). */
function mostFilesGiB(models: readonly Model[], takes: (model: Model) => number, room: number): number {
  const most = Array.from({ length: room + 1 }, () => 0);
  for (const model of models) {
    const own = takes(model);
    for (let used = room; used >= own; used--) {
      most[used] = Math.max(most[used] ?? 0, (most[used - own] ?? 0) + filesGiB(model));
    }
  }
  return Math.max(most[room] ?? 0, ...models.map(filesGiB), 0);
}

function filesGiB({ weightsGB }: Pick<Model, "weightsGB">): number {
  return Math.ceil((weightsGB * 1e9) / BYTES_PER_GIB);
}
