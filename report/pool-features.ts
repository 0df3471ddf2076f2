import type { PoolPlan } from "../planner/types";
import { count } from "./style";

const FABRICS = { roce: "RoCE", efa: "EFA" } as const;

/** Network, trial, disks and memory beyond the machine. */
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

/** Whether schedules of its models start nodes beyond those that always run. */
export function startedBySchedules({ scheduledNodeHours }: Pick<PoolPlan, "scheduledNodeHours">): boolean {
  return scheduledNodeHours > 0;
}

/** What a pool's month has besides the nodes that always run; undefined where that is nothing. */
export function scheduledText(pool: Pick<PoolPlan, "scheduledNodeHours">): string | undefined {
  return startedBySchedules(pool)
    ? `schedules start nodes for ${count(pool.scheduledNodeHours)} node-hours a month`
    : undefined;
}
