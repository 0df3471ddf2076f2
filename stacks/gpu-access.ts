import type { Cluster } from "../components/core/cluster";
import type { GpuAccessByVendor, GpuVendor } from "../components/core/gpu-access";
import type { ClusterConfig } from "./config";

/** Vendor of a setting in mixed clusters: runtime classes are NVIDIA's, device groups Radeon's. */
const OWNERS = { gpuRuntimeClass: "nvidia", gpuDevices: "amd" } as const satisfies Record<string, GpuVendor>;

/** Not every kind of cluster has all. */
type GpuSettings = Pick<ClusterConfig<"local">, keyof typeof OWNERS> &
  Partial<Pick<ClusterConfig, "kind" | "provision">>;

/**
 * k3s' class for NVIDIA's container runtime, if found at start. Host checks require that runtime
 * before k3s, so such clusters have the class. As k3s' default runtime it would apply to every pod.
 */
const NVIDIA_CLASS_OF_K3S = "nvidia";

/**
 * CUDA images request all cards by this variable, which NVIDIA's container runtime grants in
 * addition to CDI: pods would see their neighbours'. The device plugin then sets none. `none`
 * granted all before toolkit 1.18.2 (NVIDIA/cloud-native-docs@52dcb7b8).
 */
const NO_CARDS_BY_VARIABLE = { NVIDIA_VISIBLE_DEVICES: "void" } as const;

/**
 * Cluster settings for each vendor's pods; with one vendor, all apply to it.
 *
 * @param vendors of the cluster's pools.
 * @param read groups of AMD's device files on the machine; written ones win.
 * @param byCdi whether pods get NVIDIA's cards by CDI.
 */
export function gpuAccess(
  { gpuRuntimeClass, gpuDevices, kind, provision }: GpuSettings,
  vendors: readonly GpuVendor[],
  read?: Cluster["gpuDeviceGroups"],
  byCdi = false,
): GpuAccessByVendor {
  const [first, ...others] = new Set(vendors);
  const ownerOf = (setting: keyof typeof OWNERS) => (others.length > 0 ? OWNERS[setting] : first);
  const runtime = ownerOf("gpuRuntimeClass");
  const devices = ownerOf("gpuDevices");
  const ofOurs = kind === "edge" && provision === "create" && vendors.includes("nvidia");
  const runtimeClass = gpuRuntimeClass ?? (ofOurs ? NVIDIA_CLASS_OF_K3S : undefined);
  const { groups: written = [], environment = {} } = gpuDevices ?? {};
  const groups = written.length > 0 ? [...written] : read?.apply((numbers) => [...numbers]);
  const variables = (vendor: GpuVendor) => ({
    ...(vendor === devices && environment),
    ...(vendor === "nvidia" && byCdi && NO_CARDS_BY_VARIABLE),
  });
  const access = (vendor: GpuVendor) => ({
    ...(vendor === runtime && runtimeClass !== undefined && { runtimeClass }),
    ...(Object.keys(variables(vendor)).length > 0 && { environment: variables(vendor) }),
    // NVIDIA's device files are world-accessible: detected groups are not needed.
    ...(vendor === devices && groups !== undefined && (vendor === "amd" || written.length > 0) && { groups }),
  });
  return { nvidia: access("nvidia"), amd: access("amd") };
}
