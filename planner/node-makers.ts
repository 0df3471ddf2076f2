import type { PoolPlan } from "./pool-plan";

/** What provisions a pool's nodes on our EKS cluster. */
export interface NodeMakers {
  /** In a managed node group, always running. */
  readonly groupNodes: number;
  /** Most that Karpenter may provision. */
  readonly karpenterNodes: number;
}

/** Why all nodes are in a managed group, without autoscaling. */
export type GroupReason = "confidential" | "reserved" | "tried" | "sharing";

interface Grouped {
  readonly confidential?: boolean | undefined;
  readonly sharing?: object | undefined;
  /** Its nodes are tested in pairs before use. */
  readonly fabricGate?: object | undefined;
}

/**
 * Why Karpenter provisions none of a pool's nodes. Reserved nodes are paid for anyway, and nodes
 * tested in pairs must exist before models. Karpenter knows whole cards only and provisions nothing
 * for slices (v1.14.1; tested with the real one, 2026-11-23). It cannot request memory encryption:
 * `cpuOptions` of its EC2NodeClass has nested virtualization only (v1.14.1).
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
 * Karpenter provisions nodes for pending pods. Nodes that must exist before are a managed group's:
 * those for Karpenter and the platform, and pools that it does not provision.
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
