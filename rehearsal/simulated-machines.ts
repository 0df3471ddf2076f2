import { shapesOf } from "../catalog/shapes";
import type { DeploymentPlan } from "../planner/types";
import { type NodePool, zonesOf } from "./autoscaler-nodes";
import { playedAllocatable } from "./cluster/existing-parts";
import { type InstanceType, instanceTypes, type Offer } from "./cluster/instance-types";

/**
 * AWS machines that Karpenter's simulated cloud offers in an environment's zones.
 *
 * @param offered available ones.
 * @default all
 */
export function simulatedMachines(
  { mesh }: Pick<DeploymentPlan, "mesh">,
  nodePools: readonly NodePool[],
  offered?: (offer: Offer) => boolean,
): InstanceType[] {
  return instanceTypes({
    shapes: shapesOf("aws"),
    zones: zonesOf(nodePools),
    allocatable: (shape) => {
      const { cpu, memoryGiB } = playedAllocatable(shape, mesh);
      return { cpu, memoryMiB: memoryGiB * 1024 };
    },
    ...(offered && { offered }),
  });
}
