/**
 * What a service mesh takes of nodes: its agents on every one of them, and its own pods where no node is kept for the platform.
 * One source of these sizes: the values of Istio's charts are made of them too.
 */
import type { SidecarResources } from "../engines";
import type { Capacity } from "./packing";
import { MESH_PROXY } from "./sidecars";

/** How pods join the mesh. */
export type MeshMode = "ambient" | "sidecar";

/**
 * Requests of each pod of Istio. As its charts have them (istio/istio 1.30.3, `manifests/charts`, 2026-11-23), but for istiod's memory,
 * which is 2 GiB there for meshes of thousands of pods, and for waypoints: theirs is 0.1 CPU beside a limit of 2.
 */
export const MESH_PODS = {
  /** On every node, in ambient mode: all that pods of the node say to others goes through it. */
  ztunnel: { cpu: 0.2, memoryGiB: 0.5, ephemeralStorageGiB: 0.0625 },
  /** On every node, in both modes. */
  cni: { cpu: 0.1, memoryGiB: 0.125, ephemeralStorageGiB: 0.0625 },
  /** The control plane. */
  istiod: { cpu: 0.5, memoryGiB: 1, ephemeralStorageGiB: 0.25 },
  /** One for each model, in ambient mode: all of its requests and answers go through. Also its limit, so what it has is its own. */
  waypoint: { cpu: 0.5, memoryGiB: 0.5, ephemeralStorageGiB: 0.0625 },
} as const satisfies Readonly<Record<string, SidecarResources>>;

/** Pods of the platform that one node may have at once, without models', each with a proxy in sidecar mode: our figure. */
const PLATFORM_PODS = 12;

/** Of every node. */
export function meshAgents(mode: MeshMode | undefined): Capacity {
  return sumOf(mode === undefined ? [] : mode === "ambient" ? [MESH_PODS.ztunnel, MESH_PODS.cni] : [MESH_PODS.cni]);
}

/** Of each node that may run pods of the platform. @param models planned, with a place or without. */
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
  // In thousandths of a core and MiB, as the scheduler counts: 0.1 + 0.2 is not 0.3.
  const sum = (of: (pod: SidecarResources) => number, unit: number): number =>
    pods.reduce((total, pod) => total + Math.round(of(pod) * unit), 0) / unit;
  return { gpus: 0, cpu: sum(({ cpu }) => cpu, 1000), memoryGiB: sum(({ memoryGiB }) => memoryGiB, 1024) };
}
