import type { PoolPlan } from "../../planner/types";
import type { GpuVendor } from "../core/gpu-access";
import type { PoolNodes } from "../core/node-placement";

/** What the software of GPUs goes on of a pool. */
export type SoftwarePool = Pick<
  PoolPlan,
  "name" | "shape" | "selector" | "taints" | "startupTaints" | "sharing" | "fabric"
>;

/** Pools with GPUs of a vendor. */
export function poolsOf(vendor: GpuVendor, pools: readonly SoftwarePool[]): SoftwarePool[] {
  return pools.filter(({ shape }) => shape.gpu?.vendor === vendor);
}

/** Where its software runs: drivers and devices come before anything looks at a new node. */
export function nodesOf({ selector, taints, startupTaints }: SoftwarePool): PoolNodes {
  return { nodeSelector: selector, tolerations: [...taints, ...startupTaints] };
}
