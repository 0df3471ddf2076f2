import { OKE_TAINT_VALUE, PREEMPTIBLE_TAINT } from "../../../catalog/oke";
import { cardResource } from "../../../catalog/shapes";
import type { PoolPlan, Taint } from "../../../planner/types";
import { pinnedCpus } from "../cpu-placement";

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

/** The CPUs that the system keeps are named on the machine (kubelet-cpus.sh). */
function cpuArguments(pool: Pool): string[] {
  // "cpuManagerPolicy" of the configuration is --cpu-manager-policy.
  return Object.entries(pinnedCpus(pool)).map(
    ([key, value]) => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}=${value}`,
  );
}

/** OKE puts some of these on nodes itself, with a value: the same key with another value would be another taint of its node. */
export function taintText({ key, value, effect }: Taint, { shape }: Pick<Pool, "shape">): string {
  const ofOke = (shape.gpu && key === cardResource(shape.gpu)) || key === PREEMPTIBLE_TAINT.key;
  return `${key}=${value ?? (ofOke ? OKE_TAINT_VALUE : "")}:${effect}`;
}
