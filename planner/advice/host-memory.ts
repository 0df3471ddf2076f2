import type { CapacityProblem, DeploymentPlan } from "../types";

/** Source rule: host RAM of at least twice the GPU memory, for model cache and batch buffers. */
export function hostMemory({ plan }: { readonly plan: Pick<DeploymentPlan, "pools" | "models"> }): CapacityProblem[] {
  return plan.pools.flatMap((pool): CapacityProblem[] => {
    const gpu = pool.shape.gpu;
    const used = plan.models.some((m) => m.pool === pool.name);
    const wanted = gpu ? 2 * gpu.count * gpu.memoryGiB : 0;
    if (!gpu || !used || pool.shape.memoryGiB >= wanted) {
      return [];
    }
    return [
      {
        severity: "advisory",
        rule: "host-memory",
        subject: `pools.${pool.name}`,
        message: `${pool.shape.name} has ${pool.shape.memoryGiB} GiB of host memory for ${(wanted / 2).toFixed(0)} GiB of GPU memory; twice the GPU memory (${wanted.toFixed(0)} GiB) keeps a whole model in the page cache. Cold starts read from disk.`,
      },
    ];
  });
}
