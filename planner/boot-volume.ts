import type { ModelPlan, PoolPlan } from "./types";

/** Rooms on a node's boot volume, GiB. Nobody publishes the sizes of images unpacked: an allowance, and said so. */
const ALLOWANCE = {
  /** Operating system, drivers and the kubelet's own. */
  system: 20,
  /** Image of one engine, unpacked: CUDA and PyTorch are some 20 of it; and the next version, while a rollout pulls it. */
  engineImage: 50,
  /** Images, logs and scratch of the platform's own pods. */
  platform: 40,
} as const;

/** The kubelet deletes images at 85 percent, and evicts pods with a tenth left (its documented defaults). */
export const MOST_USED = 0.85;
const STEP_GIB = 10;

/** What the boot volume of one node of a pool holds, GiB. */
export interface BootVolumeNeed {
  /** What the pods of models may write: logs, caches, models that are copied beside their engine. On local disks it is none of this. */
  readonly podsGiB: number;
  readonly imagesGiB: number;
  readonly systemGiB: number;
  /** All of it, and what must stay free. */
  readonly totalGiB: number;
}

type Pool = Pick<PoolPlan, "name" | "shape" | "role" | "localDisks">;
type Model = Pick<ModelPlan, "pool" | "engine" | "resources" | "serverOf">;

/**
 * Boot volume of a pool's nodes: any node may hold those of its pods that together write most.
 *
 * @param models of the whole plan.
 */
export function bootVolumeNeed(pool: Pool, models: readonly Model[]): BootVolumeNeed {
  const podsGiB = pool.localDisks ? 0 : podFilesGiB(pool, models);
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

/** Sidecars ask for twentieths of a CPU. */
const STEPS_PER_CPU = 20;

/**
 * Most that pods on one node may write, GiB: the fullest of all ways to fill it, since the scheduler may choose any (unbounded knapsack).
 *
 * @param pods one of each kind, and how much of the node it takes.
 */
function mostWrittenGiB(pods: readonly { readonly takes: number; readonly gib: number }[], room: number): number {
  const most = Array.from({ length: Math.floor(room) + 1 }, () => 0);
  for (const [used] of most.entries()) {
    for (const { takes, gib } of pods) {
      if (takes > 0 && takes <= used) {
        most[used] = Math.max(most[used] ?? 0, (most[used - takes] ?? 0) + gib);
      }
    }
  }
  // A pod that is larger than the node is placed nowhere, but its files are not forgotten.
  return Math.max(most.at(-1) ?? 0, ...pods.map(({ gib }) => gib), 0);
}

/** What the pods of models write on one node of a pool at most, GiB. */
export function podFilesGiB(pool: Pool, models: readonly Model[]): number {
  const { shape } = pool;
  return mostWrittenGiB(
    onPool(pool, models).map(({ resources }) => ({
      takes: shape.gpu ? resources.gpus : Math.max(1, Math.floor(resources.cpu * STEPS_PER_CPU)),
      gib: resources.ephemeralStorageGiB,
    })),
    shape.gpu ? shape.gpu.count : shape.cpu.vcpus * STEPS_PER_CPU,
  );
}

function onPool({ name }: Pool, models: readonly Model[]): Model[] {
  return models.filter((model) => model.pool === name && model.serverOf === undefined);
}
