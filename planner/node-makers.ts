import type { PoolPlan } from "./pool-plan";

/** Who makes how many nodes of a pool on an EKS cluster of our own. */
export interface NodeMakers {
  /** Of a managed node group, which always run. */
  readonly groupNodes: number;
  /** That Karpenter may make. */
  readonly karpenterNodes: number;
}

/**
 * Karpenter makes nodes for pods that find no room. What must be there before such pods come is a managed node group's:
 * nodes that Karpenter itself and the platform run on, those that are tried two by two before models come, those of
 * a reservation, which are paid for whether they run or not, and those whose GPUs are parted: Karpenter knows whole cards of a
 * machine, and makes none for a pod that asks for a part (v1.14.1; seen on the real one, 2026-11-23).
 * And machines that encrypt their memory, which Karpenter cannot ask for: `cpuOptions` of its EC2NodeClass know nested
 * virtualization alone (v1.14.1).
 *
 * @param reserved its nodes are those of a reservation, or of a capacity block.
 */
export function nodeMakers(
  { role, minNodes, maxNodes, fabricGate, sharing, confidential }: PoolPlan,
  reserved: boolean,
): NodeMakers {
  if (confidential) {
    return { groupNodes: minNodes, karpenterNodes: 0 };
  }
  if (role === "system") {
    return { groupNodes: minNodes, karpenterNodes: maxNodes - minNodes };
  }
  return reserved || fabricGate !== undefined || sharing !== undefined
    ? { groupNodes: minNodes, karpenterNodes: 0 }
    : { groupNodes: 0, karpenterNodes: maxNodes };
}
