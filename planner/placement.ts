import type { Candidate } from "./candidates";
import type { PackingItem } from "./packing";
import type { ModelRequest } from "./request";

/** A model and the way it will run. */
export interface Placement {
  readonly model: ModelRequest;
  readonly candidate: Candidate;
}

/** `count` replicas of a candidate, as they are packed on the nodes of its pool. */
export function packingItem({ resources, layout }: Candidate, count: number): PackingItem {
  const { gpus, cpu, memoryGiB } = resources;
  return { demand: { gpus, cpu, memoryGiB }, count, nodesPerReplica: layout.nodesPerReplica };
}
