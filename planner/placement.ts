import { type EngineName, engineOf } from "../engines";
import type { Candidate } from "./candidates/types";
import type { Capacity, PackingItem } from "./packing";
import type { ModelRequest } from "./request";
import type { ScalingRequest } from "./scaling";

/** A server and the way it will run. */
export interface Placement {
  /** The model whose pods they are. */
  readonly model: ModelRequest;
  /** Models that join its server. */
  readonly guests: readonly ModelRequest[];
  readonly candidate: Candidate;
}

/** `count` replicas of a candidate, as they are packed on the nodes of its pool. */
export function packingItem({ resources, layout }: Candidate, count: number): PackingItem {
  const { gpus, cpu, memoryGiB } = resources;
  return { demand: { gpus, cpu, memoryGiB }, count, nodesPerReplica: layout.nodesPerReplica };
}

/** Replicas for which nodes always run: those that always run themselves, and those that may come at once. */
export function heldReplicas({
  minReplicas,
  scaling,
}: {
  readonly minReplicas: number;
  readonly scaling?: Pick<ScalingRequest, "spareReplicas">;
}): number {
  return minReplicas + (scaling?.spareReplicas ?? 0);
}

/** The pod that the engine needs once beside a model's replicas, as it is packed on the same pool. */
export function companionItem(engine: EngineName): PackingItem | undefined {
  const { companion } = engineOf(engine);
  return (
    companion && {
      demand: { gpus: 0, cpu: companion.cpu, memoryGiB: companion.memoryGiB },
      count: 1,
      nodesPerReplica: 1,
    }
  );
}

/** What replicas may share of a node, so that the engine's companion finds room beside them on each. */
export function roomForReplicas(node: Capacity, engine: EngineName): Capacity {
  const { cpu = 0, memoryGiB = 0 } = companionItem(engine)?.demand ?? {};
  return { ...node, cpu: Math.max(0, node.cpu - cpu), memoryGiB: Math.max(0, node.memoryGiB - memoryGiB) };
}
