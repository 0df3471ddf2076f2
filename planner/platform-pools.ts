import type { PoolPlan } from "./pool-plan";

/** Pools for platform pods: role `system`, or all without one. */
export function platformPools<Pool extends Pick<PoolPlan, "role">>(pools: readonly Pool[]): readonly Pool[] {
  const system = pools.filter(({ role }) => role === "system");
  return system.length > 0 ? system : pools;
}
