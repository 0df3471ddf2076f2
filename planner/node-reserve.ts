import { type MeshMode, meshAgents, meshPlatform } from "./mesh-reserve";
import type { Capacity } from "./packing";
import { PLATFORM_RESERVE } from "./pod-resources";

/** Common to a request and its plan. */
export interface ReservedFor {
  readonly pools: readonly { readonly role: "system" | "gpu" | "cpu" }[];
  readonly mesh?: MeshMode;
  /** Planned models, placed or not. */
  readonly models: number;
}

/** Per node: mesh agents and, without a system pool, the platform's pods. */
export function nodeReserve({ pools, mesh, models }: ReservedFor): Capacity {
  const agents = meshAgents(mesh);
  return pools.some(({ role }) => role === "system")
    ? agents
    : [PLATFORM_RESERVE, meshPlatform(mesh, models)].reduce(plus, agents);
}

function plus(a: Capacity, b: Capacity): Capacity {
  return { gpus: a.gpus + b.gpus, cpu: a.cpu + b.cpu, memoryGiB: a.memoryGiB + b.memoryGiB };
}
