import { OKE_TAINT_VALUE, PREEMPTIBLE_TAINT } from "../../../catalog/oke";
import { cardResource } from "../../../catalog/shapes";
import type { PoolPlan, Taint } from "../../../planner/types";

type Pool = Pick<PoolPlan, "shape" | "taints" | "startupTaints" | "numa">;

/**
 * Arguments of the kubelet of a pool's nodes, besides OKE's own. A node pool has no setting for taints: the kubelet
 * registers its node with them, so that no pod comes before they are there. It does so once: what lifts a start-up taint
 * is not undone when the node boots again.
 */
export function kubeletArguments(pool: Pool): string[] {
  const taints = [...pool.taints, ...pool.startupTaints];
  return [
    ...(taints.length > 0 ? [`--register-with-taints=${taints.map((taint) => taintText(taint, pool)).join(",")}`] : []),
    ...cpuArguments(pool),
  ];
}

/**
 * Cores of their own for the engines on GPU machines: the planner gives them whole CPUs, in Guaranteed pods. CPUs and
 * devices of all containers of a pod together come from one set of memory nodes: by container, one that only loads a model
 * could take the CPUs beside GPUs that its engine then gets elsewhere. What the policy turns down, and which one turns down
 * no planned pod, is in planner/numa.ts. The CPUs that the system keeps are named on the machine (kubelet-cpus.sh).
 */
function cpuArguments({ numa }: Pool): string[] {
  return numa === undefined
    ? []
    : ["--cpu-manager-policy=static", `--topology-manager-policy=${numa}`, "--topology-manager-scope=pod"];
}

/** OKE puts some of these on nodes itself, with a value: the same key with another value would be another taint of its node. */
function taintText({ key, value, effect }: Taint, { shape }: Pool): string {
  const ofOke = (shape.gpu && key === cardResource(shape.gpu)) || key === PREEMPTIBLE_TAINT.key;
  return `${key}=${value ?? (ofOke ? OKE_TAINT_VALUE : "")}:${effect}`;
}
