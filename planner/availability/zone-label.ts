import type { ModelPlan, PoolPlan } from "../types";

/** Clouds set it; own machines lack it. Without it, pods spread over zones do not start. */
export const ZONE_LABEL = "topology.kubernetes.io/zone";

/** Zones that a pool's promises require. 1: any. */
export function zonesNeeded(
  { name }: Pick<PoolPlan, "name">,
  models: readonly Pick<ModelPlan, "pool" | "availability">[],
): number {
  return Math.max(
    1,
    ...models.filter(({ pool }) => pool === name).map((model) => model.availability?.apart.zones ?? 1),
  );
}
