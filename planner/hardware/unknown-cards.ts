import type { Placement } from "../placement";
import type { PoolRequest } from "../request";
import type { CapacityProblem } from "../types";

/** Nobody can say what starts on a card of which nothing was read but its memory. */
export function unknownCards(pools: readonly PoolRequest[], placements: readonly Placement[]): CapacityProblem[] {
  return pools.flatMap(({ name, shape: { gpu } }): CapacityProblem[] => {
    const here = placements.filter(({ candidate }) => candidate.pool === name).map(({ model }) => model.name);
    if (gpu === undefined || gpu.abilities !== undefined || here.length === 0) {
      return [];
    }
    return [
      {
        severity: "advisory",
        rule: "unknown-card",
        subject: `pools.${name}`,
        message: `the catalogue does not say what ${gpu.model} can do, so that nobody knows whether ${here.join(", ")} will start on it. Add its abilities to catalog/shapes/gpus.json.`,
      },
    ];
  });
}
