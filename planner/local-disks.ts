import { MOST_USED, nodeFilesGiB } from "./boot-volume";
import type { CapacityProblem, ModelPlan, PoolPlan } from "./types";

/** Usable share of disks: LUKS takes 16 MiB, and ext4 a 64th for tables (mke2fs). */
const FILE_SYSTEM = 0.98;

/** GiB of a node's local disks for pods, where files are kept there. */
export function localDisksGiB({ shape }: Pick<PoolPlan, "shape">): number {
  return Math.floor(((shape.localNvmeGB * 1e9) / 2 ** 30) * FILE_SYSTEM * MOST_USED);
}

/** Least disk for this many GiB, GB. */
export function diskForGB(gib: number): number {
  return Math.ceil((gib * 2 ** 30) / 1e9 / FILE_SYSTEM / MOST_USED / 10) * 10;
}

/** Pools of provisioned nodes whose pods write more than local disks hold. */
export function localDisksProblems(
  pools: readonly Pick<PoolPlan, "name" | "shape" | "role" | "localDisks" | "nodeCacheGiB">[],
  models: readonly Pick<ModelPlan, "pool" | "engine" | "resources" | "serverOf">[],
): CapacityProblem[] {
  return pools.flatMap((pool): CapacityProblem[] => {
    const wanted = nodeFilesGiB(pool, models);
    const there = localDisksGiB(pool);
    if (!pool.localDisks || wanted <= there) {
      return [];
    }
    return [
      {
        severity: "mandatory",
        rule: "local-disks",
        subject: `pools.${pool.name}.localDisks`,
        message: `pods of pools.${pool.name} may write ${wanted} GiB on a node, and the local disks of ${pool.shape.name} hold ${there} of them: they would wait for ever. Write localDisks: unused: the plan then takes a boot volume that is large enough.`,
      },
    ];
  });
}
