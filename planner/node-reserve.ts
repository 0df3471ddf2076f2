/** What the pods of models must leave of each node to others. */
import { type MeshMode, meshAgents, meshPlatform } from "./mesh-reserve";
import type { Capacity } from "./packing";
import { PLATFORM_RESERVE } from "./pod-resources";

/** What it depends on, in a request and in the plan that came of it alike. */
export interface ReservedFor {
  readonly pools: readonly { readonly role: "system" | "gpu" | "cpu" }[];
  readonly mesh?: MeshMode;
  /** How many are asked for, with a place or without. */
  readonly models: number;
}

/** Of every node: what a mesh runs on each, and, where no pool is the platform's own, the platform's pods. */
export function nodeReserve({ pools, mesh, models }: ReservedFor): Capacity {
  const agents = meshAgents(mesh);
  return pools.some(({ role }) => role === "system")
    ? agents
    : [PLATFORM_RESERVE, meshPlatform(mesh, models)].reduce(plus, agents);
}

function plus(a: Capacity, b: Capacity): Capacity {
  return { gpus: a.gpus + b.gpus, cpu: a.cpu + b.cpu, memoryGiB: a.memoryGiB + b.memoryGiB };
}
