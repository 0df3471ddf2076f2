import type { GpuAccessByVendor, GpuVendor } from "../components/core/gpu-access";
import type { ClusterConfig } from "./config";

/** Whose setting it is where a cluster has cards of both vendors: runtime classes are NVIDIA's, device groups Radeon's. */
const OWNERS = { gpuRuntimeClass: "nvidia", gpuDevices: "amd" } as const satisfies Record<string, GpuVendor>;

/** Settings of a cluster's section; not every kind of cluster has all of them. */
type GpuSettings = Pick<ClusterConfig<"local">, keyof typeof OWNERS>;

/**
 * What pods of each vendor get of the cluster's settings. In a cluster of one vendor, they are all that vendor's.
 *
 * @param vendors of the pools that the cluster has.
 */
export function gpuAccess(
  { gpuRuntimeClass, gpuDevices }: GpuSettings,
  vendors: readonly GpuVendor[],
): GpuAccessByVendor {
  const [first, ...others] = new Set(vendors);
  const ownerOf = (setting: keyof typeof OWNERS) => (others.length > 0 ? OWNERS[setting] : first);
  const runtime = ownerOf("gpuRuntimeClass");
  const devices = ownerOf("gpuDevices");
  const access = (vendor: GpuVendor) => ({
    ...(vendor === runtime && gpuRuntimeClass !== undefined && { runtimeClass: gpuRuntimeClass }),
    ...(vendor === devices && gpuDevices),
  });
  return { nvidia: access("nvidia"), amd: access("amd") };
}
