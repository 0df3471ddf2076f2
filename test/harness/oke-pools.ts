import { findShape, sizedFlex } from "../../catalog/shapes";
import type { OkePool } from "../../components/cluster/oke/settings";
import { taintsOf } from "../../planner/taints";
import type { PoolPlan } from "../../planner/types";

/** A planned OKE node pool of a shape of the catalogue with ordinary values, overridden where a test looks. */
export function okePool(
  shapeName: string,
  plan: Partial<PoolPlan> = {},
  asked: Partial<Omit<OkePool, "plan">> = {},
): OkePool {
  const found = findShape(shapeName);
  if (!found) {
    throw new Error(`no shape "${shapeName}" in the catalogue`);
  }
  const machine = shapeName.endsWith(".Flex") ? sizedFlex(found, { ocpus: 4, memoryGB: 32 }) : found;
  const name = plan.name ?? "pool";
  const minNodes = plan.minNodes ?? 1;
  return {
    plan: {
      name,
      role: machine.gpu ? "gpu" : "system",
      shape: machine,
      minNodes,
      maxNodes: minNodes,
      usdPerNodeHour: 1,
      hourlyUsd: minNodes,
      monthlyUsd: 730 * minNodes,
      maxMonthlyUsd: 730 * minNodes,
      scheduledNodeHours: 0,
      hoursPerDay: 24,
      selector: { "node.kubernetes.io/instance-type": shapeName },
      labels: { "inference-stacks.io/pool": name },
      taints: taintsOf(machine),
      startupTaints: [],
      localDisks: false,
      confidential: false,
      gpusClaimed: 0,
      gpusTotal: minNodes * (machine.gpu?.count ?? 0),
      ...plan,
    },
    madeBy: "node-pool",
    capacity: "on-demand",
    availabilityDomains: [1],
    bootVolumeGiB: 100,
    evictionGraceMinutes: 10,
    image: undefined,
    computeCluster: false,
    ...asked,
  };
}
