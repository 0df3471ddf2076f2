import type { Taint } from "../../planner/types";
import type { EksPool } from "../cluster/eks/settings";
import { EC2_NODE_CLASS } from "./ec2-node-class";
import type { INodePool, KarpenterTaint } from "./karpenter-types";
import { disruption, nodeLimits, type RunningModel, terminationGracePeriod } from "./node-limits";

/**
 * What Karpenter may provision and remove for a pool. Spot uses one NodePool with fallback to
 * on-demand: two weighted NodePools would have two limits.
 *
 * @param models of the whole plan.
 */
export function nodePool(pool: EksPool, models: readonly RunningModel[]): NonNullable<INodePool["spec"]> {
  const { plan, capacity, zones } = pool;
  return {
    template: {
      metadata: { labels: { ...plan.labels } },
      spec: {
        nodeClassRef: { group: EC2_NODE_CLASS.group, kind: EC2_NODE_CLASS.kind, name: plan.name },
        requirements: [
          oneOf("node.kubernetes.io/instance-type", [plan.shape.name]),
          oneOf("karpenter.sh/capacity-type", capacity === "spot" ? ["spot", "on-demand"] : ["on-demand"]),
          oneOf("topology.kubernetes.io/zone", zones),
          oneOf("kubernetes.io/arch", [plan.shape.cpu.arch]),
          oneOf("kubernetes.io/os", ["linux"]),
        ],
        ...(plan.taints.length > 0 && { taints: plan.taints.map(taint) }),
        ...(plan.startupTaints.length > 0 && { startupTaints: plan.startupTaints.map(taint) }),
        // Expired nodes end regardless of budgets, without successor (v1.14.1,
        // nodeclaim/expiration). Changed boot settings already replace nodes.
        expireAfter: "Never",
        terminationGracePeriod: terminationGracePeriod(pool, models),
      },
    },
    disruption: disruption(pool, models),
    limits: nodeLimits(pool),
  };
}

function oneOf(key: string, values: readonly string[]) {
  return { key, operator: "In" as const, values: [...values] };
}

function taint({ key, value, effect }: Taint): KarpenterTaint {
  return { key, ...(value !== undefined && { value }), effect };
}
