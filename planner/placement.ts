import { type EngineName, engineOf } from "../engines";
import type { Candidate } from "./candidates/types";
import type { Capacity, PackingItem } from "./packing";
import type { ModelRequest } from "./request";
import type { ScalingRequest, ScheduledReplicas } from "./scaling";

/** A server and the way it will run. */
export interface Placement {
  /** The model whose pods they are. */
  readonly model: ModelRequest;
  /** Models that join its server. */
  readonly guests: readonly ModelRequest[];
  readonly candidate: Candidate;
  /** Replicas for which nodes run on average over the year, with those that its schedule starts. */
  readonly heldOnAverage: number;
}

/** `count` replicas of a candidate, as they are packed on the nodes of its pool. */
export function packingItem({ resources, layout, availability }: Candidate, count: number): PackingItem {
  const { gpus, cpu, memoryGiB } = resources;
  const { nodesPerReplica } = layout;
  const { nodes: apart = 1 } = availability?.apart ?? {};
  return { demand: { gpus, cpu, memoryGiB }, count, nodesPerReplica, ...(apart > 1 && { apart }) };
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

interface Scheduled {
  readonly minReplicas: number;
  readonly scaling?: Pick<ScalingRequest, "schedule" | "spareReplicas">;
}

/** Times in which more replicas run than always do. */
export function scheduleOf({ scaling }: Pick<Scheduled, "scaling">): readonly ScheduledReplicas[] {
  return scaling?.schedule ?? [];
}

/** Replicas for which nodes run while a schedule holds so many; spare ones come on top. */
export function heldWhile(model: Scheduled, scheduled: number): number {
  return heldReplicas(model) + Math.max(0, Math.min(scheduled, mostScheduled(model)) - model.minReplicas);
}

/** The most replicas that run before anybody asks for them: always, or by the clock. */
export function mostScheduled(model: Scheduled): number {
  return Math.max(model.minReplicas, ...scheduleOf(model).map(({ replicas }) => replicas));
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
