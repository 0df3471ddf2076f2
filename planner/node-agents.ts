/**
 * Agents on every node besides planned pods, with their requests; chart values and the platform's
 * DaemonSets use the same sizes. A mesh's are in `mesh-reserve.ts`, because not every plan has one.
 */
import { nodeAgentRows } from "../catalog/node-agents";
import type { MachineShape } from "../catalog/shapes";
import type { SidecarResources } from "../engines";
import type { Capacity } from "./packing";

export const NODE_AGENTS = {
  /** On every node. */
  nodeExporter: { cpu: 0.02, memoryGiB: 0.0625, ephemeralStorageGiB: 0.0625 },
  /** On GPU nodes. */
  gpuExporter: { cpu: 0.1, memoryGiB: 0.25, ephemeralStorageGiB: 0.25 },
  /** Calico's agent, where the cluster's pod network does not enforce NetworkPolicies. */
  networkPolicies: { cpu: 0.25, memoryGiB: 0.25, ephemeralStorageGiB: 0.25 },
  /** Where `storage.nodeCacheGiB` is set; its disk is the cache. */
  nodeCache: { cpu: 0.1, memoryGiB: 0.25 },
} as const satisfies Readonly<
  Record<string, Omit<SidecarResources, "ephemeralStorageGiB"> & Partial<SidecarResources>>
>;

/** Total requests on a node: agents of cloud, network and platform. */
export function nodeAgents({ provider, rdma, gpu }: Pick<MachineShape, "provider" | "rdma" | "gpu">): Capacity {
  const ours = [
    NODE_AGENTS.nodeExporter,
    ...(gpu ? [NODE_AGENTS.gpuExporter] : []),
    // Of the clouds, only Oracle's pod network enforces none; k3s and Amazon's plugin do, in agents
    // counted with theirs.
    ...(provider === "oci" ? [NODE_AGENTS.networkPolicies] : []),
  ].map(({ cpu, memoryGiB }) => ({ cpu, memoryMiB: memoryGiB * 1024 }));
  const others = nodeAgentRows.filter(({ where }) => where === "every" || where === provider || where === rdma.kind);
  const all = [...ours, ...others];
  // Summed in millicores and MiB like the scheduler: 0.1 + 0.2 is not 0.3.
  return {
    gpus: 0,
    cpu: all.reduce((sum, { cpu }) => sum + Math.round(cpu * 1000), 0) / 1000,
    memoryGiB: all.reduce((sum, { memoryMiB }) => sum + Math.round(memoryMiB), 0) / 1024,
  };
}
