import type { ModelPlan, PoolPlan } from "../types";

/** Clouds give it to their nodes; on machines of your own nobody does. Without it no pod that is spread over zones starts. */
export const ZONE_LABEL = "topology.kubernetes.io/zone";

/** In how many zones nodes of a pool must be for what is promised of its models. 1: their zones do not matter. */
export function zonesNeeded(
  { name }: Pick<PoolPlan, "name">,
  models: readonly Pick<ModelPlan, "pool" | "availability">[],
): number {
  return Math.max(
    1,
    ...models.filter(({ pool }) => pool === name).map((model) => model.availability?.apart.zones ?? 1),
  );
}
