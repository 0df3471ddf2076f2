/**
 * Resources of a service mesh on nodes: agents everywhere, and its own pods where no platform pool
 * exists. Istio's chart values use the same sizes.
 */
import type { SidecarResources } from "../engines";
import type { Capacity } from "./packing";
import { MESH_PROXY } from "./sidecars";

export type MeshMode = "ambient" | "sidecar";

/**
 * Requests of Istio's pods, as in its charts (istio/istio 1.30.3, `manifests/charts`, 2026-11-23),
 * except istiod's memory (there 2 GiB, for meshes of thousands of pods) and waypoints (there 0.1
 * CPU with a limit of 2).
 */
export const MESH_PODS = {
  /** Every node in ambient mode; carries all traffic of its pods. */
  ztunnel: { cpu: 0.2, memoryGiB: 0.5, ephemeralStorageGiB: 0.0625 },
  /** Every node, both modes. */
  cni: { cpu: 0.1, memoryGiB: 0.125, ephemeralStorageGiB: 0.0625 },
  /** Control plane. */
  istiod: { cpu: 0.5, memoryGiB: 1, ephemeralStorageGiB: 0.25 },
  /** One per model in ambient mode; carries all its traffic. Request and limit are equal. */
  waypoint: { cpu: 0.5, memoryGiB: 0.5, ephemeralStorageGiB: 0.0625 },
} as const satisfies Readonly<Record<string, SidecarResources>>;

/** Platform pods on one node, each with a proxy in sidecar mode: our figure. */
const PLATFORM_PODS = 12;

/** Every node. */
export function meshAgents(mode: MeshMode | undefined): Capacity {
  return sumOf(mode === undefined ? [] : mode === "ambient" ? [MESH_PODS.ztunnel, MESH_PODS.cni] : [MESH_PODS.cni]);
}

/** Nodes that may run platform pods. @param models planned, placed or not. */
export function meshPlatform(mode: MeshMode | undefined, models: number): Capacity {
  if (mode === undefined) {
    return sumOf([]);
  }
  const beside = mode === "ambient" ? times(models, MESH_PODS.waypoint) : times(PLATFORM_PODS, MESH_PROXY);
  return sumOf([MESH_PODS.istiod, ...beside]);
}

function times(count: number, pod: SidecarResources): SidecarResources[] {
  return Array.from({ length: count }, () => pod);
}

function sumOf(pods: readonly SidecarResources[]): Capacity {
  // Summed in millicores and MiB like the scheduler: 0.1 + 0.2 is not 0.3.
  const sum = (of: (pod: SidecarResources) => number, unit: number): number =>
    pods.reduce((total, pod) => total + Math.round(of(pod) * unit), 0) / unit;
  return { gpus: 0, cpu: sum(({ cpu }) => cpu, 1000), memoryGiB: sum(({ memoryGiB }) => memoryGiB, 1024) };
}
