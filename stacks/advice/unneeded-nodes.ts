import { nodeMakers } from "../../planner/node-makers";
import { heldReplicas } from "../../planner/placement";
import type { CapacityProblem, ModelPlan, PoolPlan } from "../../planner/types";
import type { Advised } from "./advice";

/**
 * Permanent nodes of a pool that Karpenter will not provision, as it only serves pods. The plan's
 * cost includes them.
 */
export function unneededNodes({
  environment: { cluster, pools },
  plan,
}: Pick<Advised, "environment" | "plan">): CapacityProblem[] {
  if (cluster.kind !== "aws" || cluster.provision !== "create") {
    return [];
  }
  return plan.pools.flatMap((pool): CapacityProblem[] => {
    const { name } = pool;
    // From the file: the plan raises it to what replicas need.
    const { minNodes = 0, capacity } = pools[name] ?? {};
    const { groupNodes, karpenterNodes } = nodeMakers(pool, typeof capacity === "object");
    const most = mostNodes(pool, plan.models);
    return groupNodes > 0 || karpenterNodes === 0 || minNodes <= most
      ? []
      : [
          {
            severity: "advisory",
            rule: "unneeded-nodes",
            subject: `pools.${name}.minNodes`,
            message: `${minNodes} nodes, and the replicas of its models fit on ${most}: Karpenter creates nodes only for pods. The others will not run, but the cost includes them. Write minNodes: ${most}.`,
          },
        ];
  });
}

/** Upper bound of a pool's nodes with spares: by GPUs, separate nodes per model, and spread. */
function mostNodes({ name, shape }: PoolPlan, models: readonly ModelPlan[]): number {
  return models
    .filter(({ pool, serverOf }) => pool === name && serverOf === undefined)
    .map((model) => {
      const {
        nodesPerReplica,
        resources: { gpus },
        availability,
      } = model;
      const perNode = gpus > 0 && nodesPerReplica === 1 ? Math.floor((shape.gpu?.count ?? 0) / gpus) : 1;
      const filled = Math.ceil((heldReplicas(model) * nodesPerReplica) / Math.max(1, perNode));
      return Math.max(filled, availability?.apart.nodes ?? 0);
    })
    .reduce((sum, nodes) => sum + nodes, 0);
}
