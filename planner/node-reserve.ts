import { type MeshMode, meshAgents, meshPlatform } from "./mesh-reserve";
import { NODE_AGENTS } from "./node-agents";
import type { Capacity } from "./packing";
import { PLATFORM_RESERVE } from "./pod-resources";

const NONE: Capacity = { gpus: 0, cpu: 0, memoryGiB: 0 };
const NODE_CACHE: Capacity = { ...NONE, cpu: NODE_AGENTS.nodeCache.cpu, memoryGiB: NODE_AGENTS.nodeCache.memoryGiB };

/** Common to a request and its plan. */
export interface ReservedFor {
  readonly pools: readonly { readonly role: "system" | "gpu" | "cpu" }[];
  readonly mesh?: MeshMode;
  /** Planned models, placed or not. */
  readonly models: number;
  /** Nodes have caches of weights. @default false */
  readonly nodeCache?: boolean;
}

/** Per node: agents that not every plan has and, without a system pool, the platform's pods. */
export function nodeReserve({ pools, mesh, models, nodeCache = false }: ReservedFor): Capacity {
  const agents = plus(meshAgents(mesh), nodeCache ? NODE_CACHE : NONE);
  return pools.some(({ role }) => role === "system")
    ? agents
    : [PLATFORM_RESERVE, meshPlatform(mesh, models)].reduce(plus, agents);
}

function plus(a: Capacity, b: Capacity): Capacity {
  return { gpus: a.gpus + b.gpus, cpu: a.cpu + b.cpu, memoryGiB: a.memoryGiB + b.memoryGiB };
}
