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
const MOST_USED = 0.85;
const STEP_GIB = 10;

/** What the boot volume of one node of a pool holds, GiB. */
export interface BootVolumeNeed {
  /** What the pods of models may write: logs, caches, models that are copied beside their engine. */
  readonly podsGiB: number;
  readonly imagesGiB: number;
  readonly systemGiB: number;
  /** All of it, and what must stay free. */
  readonly totalGiB: number;
}

type Pool = Pick<PoolPlan, "name" | "shape" | "role">;
type Model = Pick<ModelPlan, "pool" | "engine" | "resources" | "serverOf">;

/**
 * Boot volume of a pool's nodes: any node may hold those of its pods that write most for their share of it.
 *
 * @param models of the whole plan.
 */
export function bootVolumeNeed({ name, shape, role }: Pool, models: readonly Model[]): BootVolumeNeed {
  const here = models.filter((model) => model.pool === name && model.serverOf === undefined);
  const shares = here.map(({ resources }) => {
    const share = shape.gpu ? resources.gpus / shape.gpu.count : resources.cpu / shape.cpu.vcpus;
    const pods = Math.max(1, Math.floor(1 / share));
    return pods * resources.ephemeralStorageGiB;
  });
  const podsGiB = Math.max(0, ...shares);
  const imagesGiB =
    new Set(here.map(({ engine }) => engine)).size * ALLOWANCE.engineImage +
    (role === "system" ? ALLOWANCE.platform : 0);
  const used = podsGiB + imagesGiB + ALLOWANCE.system;
  return {
    podsGiB,
    imagesGiB,
    systemGiB: ALLOWANCE.system,
    totalGiB: Math.ceil(used / MOST_USED / STEP_GIB) * STEP_GIB,
  };
}
