/**
 * What runs once on every node besides the pods that plans place, and what it requests there. One source of these sizes: values of charts
 * and the platform's own DaemonSets are made of them too. A mesh's are apart (`mesh-reserve.ts`), because not every plan has one.
 */
import { nodeAgentRows } from "../catalog/node-agents";
import type { MachineShape } from "../catalog/shapes";
import type { SidecarResources } from "../engines";
import type { Capacity } from "./packing";

/** Requests of each pod of ours. */
export const NODE_AGENTS = {
  /** Figures of the node: on every one. */
  nodeExporter: { cpu: 0.02, memoryGiB: 0.0625, ephemeralStorageGiB: 0.0625 },
  /** Figures of its GPUs. */
  gpuExporter: { cpu: 0.1, memoryGiB: 0.25, ephemeralStorageGiB: 0.25 },
  /** Enforces NetworkPolicies where the cluster's pod network does not: Calico's agent, ours or the owner's. */
  networkPolicies: { cpu: 0.25, memoryGiB: 0.25, ephemeralStorageGiB: 0.25 },
} as const satisfies Readonly<Record<string, SidecarResources>>;

/** What agents of a node of this machine request together: those of its cloud, of its network, and the platform's. */
export function nodeAgents({ provider, rdma, gpu }: Pick<MachineShape, "provider" | "rdma" | "gpu">): Capacity {
  const ours = [
    NODE_AGENTS.nodeExporter,
    ...(gpu ? [NODE_AGENTS.gpuExporter] : []),
    // Of the clouds, Oracle's pod network alone enforces none; k3s and Amazon's network plugin do, in agents counted with theirs.
    ...(provider === "oci" ? [NODE_AGENTS.networkPolicies] : []),
  ].map(({ cpu, memoryGiB }) => ({ cpu, memoryMiB: memoryGiB * 1024 }));
  const others = nodeAgentRows.filter(({ where }) => where === "every" || where === provider || where === rdma.kind);
  const all = [...ours, ...others];
  // In thousandths of a core and MiB, as the scheduler counts: 0.1 + 0.2 is not 0.3.
  return {
    gpus: 0,
    cpu: all.reduce((sum, { cpu }) => sum + Math.round(cpu * 1000), 0) / 1000,
    memoryGiB: all.reduce((sum, { memoryMiB }) => sum + Math.round(memoryMiB), 0) / 1024,
  };
}
