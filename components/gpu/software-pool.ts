import type { PoolPlan } from "../../planner/types";
import type { GpuVendor } from "../core/gpu-access";
import type { PoolNodes } from "../core/node-placement";

export type SoftwarePool = Pick<
  PoolPlan,
  "name" | "shape" | "selector" | "taints" | "startupTaints" | "sharing" | "fabric"
>;

export function poolsOf(vendor: GpuVendor, pools: readonly SoftwarePool[]): SoftwarePool[] {
  return pools.filter(({ shape }) => shape.gpu?.vendor === vendor);
}

/** Nodes for GPU software, including startup taints: drivers must precede node checks. */
export function nodesOf({ selector, taints, startupTaints }: SoftwarePool): PoolNodes {
  return { nodeSelector: selector, tolerations: [...taints, ...startupTaints] };
}
