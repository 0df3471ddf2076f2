import { counted } from "../../names/counted";
import type { Replanning } from "../fixes/setting";
import type { CapacityProblem } from "../types";

/** Spare replicas keep nodes from scale-down; a pool with a fixed number of nodes gains nothing. */
export function spareReplicas({ plan }: Replanning): CapacityProblem[] {
  return plan.models.flatMap((model): CapacityProblem[] => {
    const pool = plan.pools.find(({ name }) => name === model.pool);
    const { spareReplicas: spare = 0 } = model.scaling ?? {};
    if (spare === 0 || pool === undefined || pool.minNodes < pool.maxNodes) {
      return [];
    }
    return [
      {
        severity: "advisory",
        rule: "spare-replicas",
        subject: `models.${model.name}.scaling.spareReplicas`,
        message: `pool ${pool.name} always runs all of its ${counted(pool.maxNodes, "node")}, so that ${counted(spare, "spare replica")} keep no node ready that would not be there. Remove spareReplicas, or write a minNodes below maxNodes: ${pool.maxNodes} where an autoscaler adds nodes.`,
      },
    ];
  });
}
