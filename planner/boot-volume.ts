import { nodeRoom, podShare } from "./node-share";
import type { ModelPlan, PoolPlan } from "./types";

/** GiB on a boot volume: an allowance, and reported so, as unpacked image sizes are unpublished. */
const ALLOWANCE = {
  /** Operating system, drivers and kubelet. */
  system: 20,
  /**
   * One unpacked engine image, of which CUDA and PyTorch are some 20, and its successor during a
   * rollout.
   */
  engineImage: 50,
  /** Images, logs and scratch of the platform's pods. */
  platform: 40,
} as const;

/** The kubelet deletes images at 85 percent and evicts pods at 90 (documented defaults). */
export const MOST_USED = 0.85;
const STEP_GIB = 10;

export interface BootVolumeNeed {
  /** Files of model pods (logs, caches, models copied next to the engine) and the cache of weights. 0 with local disks. */
  readonly podsGiB: number;
  readonly imagesGiB: number;
  readonly systemGiB: number;
  /** With the reserve that must stay free. */
  readonly totalGiB: number;
}

type Pool = Pick<PoolPlan, "name" | "shape" | "role" | "localDisks" | "nodeCacheGiB">;
type Model = Pick<ModelPlan, "pool" | "engine" | "resources" | "serverOf">;

/**
 * Any node may hold the pods that together write most.
 *
 * @param models of the whole plan.
 */
export function bootVolumeNeed(pool: Pool, models: readonly Model[]): BootVolumeNeed {
  const podsGiB = pool.localDisks ? 0 : nodeFilesGiB(pool, models);
  const imagesGiB =
    new Set(onPool(pool, models).map(({ engine }) => engine)).size * ALLOWANCE.engineImage +
    (pool.role === "system" ? ALLOWANCE.platform : 0);
  const used = podsGiB + imagesGiB + ALLOWANCE.system;
  return {
    podsGiB,
    imagesGiB,
    systemGiB: ALLOWANCE.system,
    totalGiB: Math.ceil(used / MOST_USED / STEP_GIB) * STEP_GIB,
  };
}

/**
 * Worst case over all ways to fill a node, since the scheduler may choose any (unbounded knapsack),
 * GiB.
 *
 * @param pods one of each kind, and its share of the node.
 */
function mostWrittenGiB(pods: readonly { readonly takes: number; readonly gib: number }[], room: number): number {
  const most = Array.from({ length: room + 1 }, () => 0);
  for (const [used] of most.entries()) {
    for (const { takes, gib } of pods) {
      if (takes > 0 && takes <= used) {
        most[used] = Math.max(most[used] ?? 0, (most[used - takes] ?? 0) + gib);
      }
    }
  }
  // A pod larger than the node cannot be placed, but its files count.
  return Math.max(most.at(-1) ?? 0, ...pods.map(({ gib }) => gib), 0);
}

/** Files of pods, and the cache of weights, GiB. */
export function nodeFilesGiB(pool: Pool, models: readonly Model[]): number {
  return podFilesGiB(pool, models) + (pool.nodeCacheGiB ?? 0);
}

/** Upper bound for one node of a pool, GiB. */
export function podFilesGiB(pool: Pool, models: readonly Model[]): number {
  const { shape } = pool;
  return mostWrittenGiB(
    onPool(pool, models).map(({ resources }) => ({
      takes: podShare(shape, resources),
      gib: resources.ephemeralStorageGiB,
    })),
    nodeRoom(shape),
  );
}

function onPool({ name }: Pool, models: readonly Model[]): Model[] {
  return models.filter((model) => model.pool === name && model.serverOf === undefined);
}
