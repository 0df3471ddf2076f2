import type { PoolPlan } from "../../planner/types";

/**
 * Dedicated cores for engines on GPU machines, as kubelet configuration. Topology scope is the pod:
 * otherwise a model loader could take CPUs close to the engine's GPUs. planner/numa.ts explains the
 * policy. Empty without dedicated CPUs.
 */
export function pinnedCpus({ numa }: Pick<PoolPlan, "numa">) {
  return numa === undefined
    ? {}
    : { cpuManagerPolicy: "static", topologyManagerPolicy: numa, topologyManagerScope: "pod" };
}
