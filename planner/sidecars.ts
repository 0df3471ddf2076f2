/** What the platform runs beside engines in the pods of models, and what that takes of a pod. */
import type { SidecarResources } from "../engines";

/** Envoy of an inference node: it passes bytes on, and keeps none but those of a slow client. */
export const NODE_PROXY: SidecarResources = { cpu: 0.25, memoryGiB: 0.25, ephemeralStorageGiB: 0.25 };
/** What tells a registrar that a node is there. */
export const NODE_REGISTRATION: SidecarResources = { cpu: 0.05, memoryGiB: 0.125, ephemeralStorageGiB: 0.0625 };
/** Proxy of a mesh in every pod. */
export const MESH_PROXY: SidecarResources = { cpu: 0.25, memoryGiB: 0.25, ephemeralStorageGiB: 0.25 };

export const NO_SIDECAR: SidecarResources = { cpu: 0, memoryGiB: 0, ephemeralStorageGiB: 0 };

/** All of them together. */
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
