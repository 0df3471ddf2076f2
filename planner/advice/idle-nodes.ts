import { type Replanning, withPool } from "../fixes/setting";
import type { CapacityProblem } from "../types";
import { samePlaces, wholeUsd } from "./comparison";

/** Nodes of model pools that always run and hold no model. */
export function idleNodes({ request, plan, again }: Replanning): CapacityProblem[] {
  return request.pools.flatMap((pool): CapacityProblem[] => {
    const billed = plan.pools.find((p) => p.name === pool.name);
    if (pool.role === "system" || pool.minNodes === 0 || !billed || billed.monthlyUsd === 0) {
      return [];
    }
    const without = again(withPool(request, pool.name, { minNodes: 0 }));
    const needed = without.pools.find((p) => p.name === pool.name)?.minNodes ?? 0;
    const idle = billed.minNodes - needed;
    const savedUsd = plan.cost.monthlyUsd - without.cost.monthlyUsd;
    // Without the node a model would move: it is not idle.
    if (idle <= 0 || savedUsd <= 0 || !samePlaces(plan, without)) {
      return [];
    }
    return [
      {
        severity: "advisory",
        rule: "idle-nodes",
        subject: `pools.${pool.name}.minNodes`,
        message: `${idle} of ${billed.minNodes} node(s) of ${pool.shape.name} hold no model, for ${wholeUsd(savedUsd)} of ${wholeUsd(plan.cost.monthlyUsd)} USD a month. minNodes: ${needed} saves that; keep it if they are spares.`,
      },
    ];
  });
}
