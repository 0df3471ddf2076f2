import type { PoolPlan } from "../../planner/types";

/**
 * Cores of their own for the engines on GPU machines, in the words of a kubelet's configuration: the planner gives them whole CPUs, in
 * Guaranteed pods. CPUs and devices of all containers of a pod together come from one set of memory nodes: by container, one that
 * only loads a model could take the CPUs beside GPUs that its engine then gets elsewhere. What the policy turns down, and which one
 * turns down no planned pod, is in planner/numa.ts. Nothing where no engine has CPUs of its own.
 */
export function pinnedCpus({ numa }: Pick<PoolPlan, "numa">) {
  return numa === undefined
    ? {}
    : { cpuManagerPolicy: "static", topologyManagerPolicy: numa, topologyManagerScope: "pod" };
}
