import { type EngineName, engineOf } from "../engines";
import type { Candidate } from "./candidates/types";
import type { Capacity, PackingItem } from "./packing";
import type { ModelRequest } from "./request";
import type { ScalingRequest, ScheduledReplicas } from "./scaling";

export interface Placement {
  /** Owner of the pods. */
  readonly model: ModelRequest;
  /** Models on its server. */
  readonly guests: readonly ModelRequest[];
  readonly candidate: Candidate;
  /** Replicas with running nodes, averaged over the year, including scheduled ones. */
  readonly heldOnAverage: number;
}

export function packingItem({ resources, layout, availability }: Candidate, count: number): PackingItem {
  const { gpus, cpu, memoryGiB } = resources;
  const { nodesPerReplica } = layout;
  const { nodes: apart = 1 } = availability?.apart ?? {};
  return { demand: { gpus, cpu, memoryGiB }, count, nodesPerReplica, ...(apart > 1 && { apart }) };
}

/** Replicas with permanent nodes: those that always run, and spares. */
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

/** Times with more replicas than always run. */
export function scheduleOf({ scaling }: Pick<Scheduled, "scaling">): readonly ScheduledReplicas[] {
  return scaling?.schedule ?? [];
}

/** Replicas with nodes during a schedule; spares come on top. */
export function heldWhile(model: Scheduled, scheduled: number): number {
  return heldReplicas(model) + Math.max(0, Math.min(scheduled, mostScheduled(model)) - model.minReplicas);
}

/** Most replicas without demand: permanent or scheduled. */
export function mostScheduled(model: Scheduled): number {
  return Math.max(model.minReplicas, ...scheduleOf(model).map(({ replicas }) => replicas));
}

/** The engine's companion pod, once per model, on the same pool. */
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

/** Leaves room for the engine's companion on each node. */
export function roomForReplicas(node: Capacity, engine: EngineName): Capacity {
  const { cpu = 0, memoryGiB = 0 } = companionItem(engine)?.demand ?? {};
  return { ...node, cpu: Math.max(0, node.cpu - cpu), memoryGiB: Math.max(0, node.memoryGiB - memoryGiB) };
}
