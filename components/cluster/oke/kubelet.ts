import { OKE_TAINT_VALUE, PREEMPTIBLE_TAINT } from "../../../catalog/oke";
import { cardResource } from "../../../catalog/shapes";
import { reservableCpus } from "../../../planner/pod-resources";
import type { PoolPlan, Taint } from "../../../planner/types";

type Pool = Pick<PoolPlan, "shape" | "taints" | "startupTaints">;

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
 * Cores of their own for the engines on GPU machines: the planner gives them whole CPUs, in Guaranteed pods.
 *
 * CPUs and GPUs of a pod come from one NUMA node where that can be (`best-effort`). The scheduler knows nothing of NUMA:
 * with `restricted` and `single-numa-node` the kubelet turns down pods that it was given, again and again, among them every
 * pod that takes the GPUs of two sockets (Kubernetes' page "Control Topology Management Policies on a node", read
 * 2026-11-23). The static policy must have CPUs to reserve. A machine whose planned reserve is less than one keeps the
 * default, for a whole one would be taken from its pods.
 */
function cpuArguments({ shape }: Pool): string[] {
  const reserved = reservableCpus(shape);
  if (shape.gpu === undefined || reserved < 1) {
    return [];
  }
  return [
    "--cpu-manager-policy=static",
    "--topology-manager-policy=best-effort",
    `--reserved-cpus=${reserved === 1 ? "0" : `0-${reserved - 1}`}`,
  ];
}

/** OKE puts some of these on nodes itself, with a value: the same key with another value would be another taint of its node. */
function taintText({ key, value, effect }: Taint, { shape }: Pool): string {
  const ofOke = (shape.gpu && key === cardResource(shape.gpu)) || key === PREEMPTIBLE_TAINT.key;
  return `${key}=${value ?? (ofOke ? OKE_TAINT_VALUE : "")}:${effect}`;
}
