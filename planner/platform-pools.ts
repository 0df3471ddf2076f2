import type { PoolPlan } from "./pool-plan";

/** The pools whose nodes run the platform's own pods: those of role `system`, or all of them where there is none. */
export function platformPools<Pool extends Pick<PoolPlan, "role">>(pools: readonly Pool[]): readonly Pool[] {
  const system = pools.filter(({ role }) => role === "system");
  return system.length > 0 ? system : pools;
}
