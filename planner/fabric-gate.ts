import type { MachineShape } from "../catalog/shapes";
import type { FabricGatePlan, PoolFabric, Taint } from "./pool-plan";

/** On new nodes with an RDMA network until it was tried (docs/fabric-gate.md): models do not tolerate it. */
export const UNCERTIFIED: Taint = { key: "inference-stacks.io/uncertified", effect: "NoSchedule" };

/** The trial of a pool's nodes; undefined where there is no RDMA network, or nothing is known to hold it to. */
export function fabricGateOf(_pool: {
  readonly shape: MachineShape;
  readonly fabric: PoolFabric | undefined;
  readonly minNodes: number;
}): FabricGatePlan | undefined {
  return undefined;
}
