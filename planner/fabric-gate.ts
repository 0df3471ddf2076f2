import { fabricOf, leastBusGBps } from "../catalog/fabrics";
import type { MachineShape } from "../catalog/shapes";
import { counted } from "../names/counted";
import type { FabricGatePlan, Taint } from "./pool-plan";

/**
 * On new nodes with an RDMA network until tested (docs/fabric-gate.md): models do not tolerate it.
 *
 * Cluster Autoscaler recognizes start-up taints by this prefix without a flag, which Oracle's
 * add-on lacks: such nodes count as coming, and templates ignore the taint. With another key it
 * adds nodes during tests, or none. Since 1.29: kubernetes/autoscaler@55c37cd5eb,
 * cluster-autoscaler/FAQ.md and cluster-autoscaler/utils/taints/taints.go of release-1.29 to 1.36,
 * read 2026-11-23. Karpenter accepts any key.
 */
export const UNCERTIFIED = {
  key: "startup-taint.cluster-autoscaler.kubernetes.io/uncertified",
  effect: "NoSchedule",
} as const satisfies Taint;

interface GatedPool {
  readonly shape: MachineShape;
  /** Undefined without an RDMA network. */
  readonly fabric?: object | undefined;
  readonly minNodes: number;
}

/** Undefined without an RDMA network or a known target. */
export function fabricGateOf(pool: GatedPool): FabricGatePlan | undefined {
  const known = fabricOf(pool.shape.name);
  const minBusGBps = known && leastBusGBps(known);
  const isGated = pool.fabric !== undefined && whyUngated(pool) === undefined;
  return known && minBusGBps !== undefined && isGated ? { minBusGBps, image: known.testImage } : undefined;
}

/** Why a pool's RDMA network is not tested before use; undefined where it is, or there is none. */
export function whyUngated({ shape, fabric, minNodes }: GatedPool): string | undefined {
  if (fabric === undefined) {
    return undefined;
  }
  if (minNodes < 2) {
    return `it has ${counted(minNodes, "node")} at first, and a trial takes two`;
  }
  const known = fabricOf(shape.name);
  return known && leastBusGBps(known) !== undefined
    ? undefined
    : `no figure is published for an all-reduce over two ${shape.name}, so there is nothing to hold them to`;
}
