import { OKE_TAINT_VALUE, PREEMPTIBLE_TAINT } from "../../../catalog/oke";
import { cardResource } from "../../../catalog/shapes";
import type { PoolPlan, Taint } from "../../../planner/types";
import { pinnedCpus } from "../cpu-placement";

type Pool = Pick<PoolPlan, "shape" | "taints" | "startupTaints" | "numa">;

/**
 * Additional kubelet arguments. Node pools have no taint setting: the kubelet registers taints
 * before any pod arrives. It registers once, so a removed startup taint does not return on reboot.
 */
export function kubeletArguments(pool: Pool): string[] {
  const taints = [...pool.taints, ...pool.startupTaints];
  return [
    ...(taints.length > 0 ? [`--register-with-taints=${taints.map((taint) => taintText(taint, pool)).join(",")}`] : []),
    ...cpuArguments(pool),
  ];
}

/** The machine determines the system's CPUs (kubelet-cpus.sh). */
function cpuArguments(pool: Pool): string[] {
  // "cpuManagerPolicy" of the configuration is --cpu-manager-policy.
  return Object.entries(pinnedCpus(pool)).map(
    ([key, value]) => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}=${value}`,
  );
}

/** OKE adds some of these with a value: the same key with another value would be a second taint. */
export function taintText({ key, value, effect }: Taint, { shape }: Pick<Pool, "shape">): string {
  const ofOke = (shape.gpu && key === cardResource(shape.gpu)) || key === PREEMPTIBLE_TAINT.key;
  return `${key}=${value ?? (ofOke ? OKE_TAINT_VALUE : "")}:${effect}`;
}
