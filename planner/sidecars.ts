import type { SidecarResources } from "../engines";

/** Envoy of an inference node: forwards bytes and buffers only for slow clients. */
export const NODE_PROXY: SidecarResources = { cpu: 0.25, memoryGiB: 0.25, ephemeralStorageGiB: 0.25 };
export const NODE_REGISTRATION: SidecarResources = { cpu: 0.05, memoryGiB: 0.125, ephemeralStorageGiB: 0.0625 };
export const MESH_PROXY: SidecarResources = { cpu: 0.25, memoryGiB: 0.25, ephemeralStorageGiB: 0.25 };

export const NO_SIDECAR: SidecarResources = { cpu: 0, memoryGiB: 0, ephemeralStorageGiB: 0 };

export function allOf(sidecars: readonly SidecarResources[]): SidecarResources {
  return sidecars.reduce(
    (sum, each) => ({
      cpu: sum.cpu + each.cpu,
      memoryGiB: sum.memoryGiB + each.memoryGiB,
      ephemeralStorageGiB: sum.ephemeralStorageGiB + each.ephemeralStorageGiB,
    }),
    NO_SIDECAR,
  );
}
