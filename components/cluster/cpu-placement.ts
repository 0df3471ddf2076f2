import type { PoolPlan } from "../../planner/types";

/**
 * Dedicated cores for engines on GPU machines, as kubelet configuration: engines get whole CPUs in
 * Guaranteed pods. Topology scope is the pod: per container, a model loader could take the CPUs
 * close to the engine's GPUs. planner/numa.ts explains the policy. Empty if no engine has dedicated
 * CPUs.
 */
export function pinnedCpus({ numa }: Pick<PoolPlan, "numa">) {
  return numa === undefined
    ? {}
    : { cpuManagerPolicy: "static", topologyManagerPolicy: numa, topologyManagerScope: "pod" };
}
