import type { PoolPlan } from "../planner/types";

const FABRICS = { roce: "RoCE", efa: "EFA" } as const;

/** What a pool's nodes have beside their machine, as a person reads it: network, trial, disks, memory. */
export function poolFeatures({
  fabric,
  fabricGate,
  localDisks,
  confidential,
}: Pick<PoolPlan, "fabric" | "fabricGate" | "localDisks" | "confidential">): string[] {
  return [
    ...(fabric ? [`RDMA: ${FABRICS[fabric.kind]}, ${fabric.gbps} Gbit/s a node`] : []),
    ...(fabricGate ? [`nodes tried for ${fabricGate.minBusGBps} GB/s before models come`] : []),
    ...(localDisks ? ["pods' files on local disks"] : []),
    ...(confidential ? ["memory encrypted against the host"] : []),
  ];
}
