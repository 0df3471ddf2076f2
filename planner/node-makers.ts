import type { PoolPlan } from "./pool-plan";

/** Who makes how many nodes of a pool on an EKS cluster of our own. */
export interface NodeMakers {
  /** Of a managed node group, which always run. */
  readonly groupNodes: number;
  /** That Karpenter may make. */
  readonly karpenterNodes: number;
}

/** Why all of a pool's nodes are a managed group's, which nothing scales. */
export type GroupReason = "confidential" | "reserved" | "tried" | "sharing";

interface Grouped {
  readonly confidential?: boolean | undefined;
  readonly sharing?: object | undefined;
  /** Somebody tries its nodes two by two before models come. */
  readonly fabricGate?: object | undefined;
}

/**
 * Why Karpenter makes no node of a pool. Nodes of a reservation are paid for whether they run or not, and those that are tried
 * two by two must be there before models come. It knows whole cards of a machine, and makes none for a pod that asks for a part
 * (v1.14.1; seen on the real one, 2026-11-23). And machines that encrypt their memory it cannot ask for: `cpuOptions` of its
 * EC2NodeClass know nested virtualization alone (v1.14.1).
 *
 * @param reserved its nodes are those of a reservation, or of a capacity block.
 */
export function groupReason(
  { confidential, sharing, fabricGate }: Grouped,
  reserved: boolean,
): GroupReason | undefined {
  if (confidential) {
    return "confidential";
  }
  if (reserved) {
    return "reserved";
  }
  return fabricGate !== undefined ? "tried" : sharing && "sharing";
}

/**
 * Karpenter makes nodes for pods that find no room. What must be there before such pods come is a managed node group's: nodes
 * that Karpenter itself and the platform run on, and all of a pool whose nodes it does not make.
 *
 * @param reserved its nodes are those of a reservation, or of a capacity block.
 */
export function nodeMakers(pool: PoolPlan, reserved: boolean): NodeMakers {
  const { role, minNodes, maxNodes } = pool;
  if (groupReason(pool, reserved) !== undefined) {
    return { groupNodes: minNodes, karpenterNodes: 0 };
  }
  return role === "system"
    ? { groupNodes: minNodes, karpenterNodes: maxNodes - minNodes }
    : { groupNodes: 0, karpenterNodes: maxNodes };
}
