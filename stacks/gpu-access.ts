import type { Cluster } from "../components/core/cluster";
import type { GpuAccessByVendor, GpuVendor } from "../components/core/gpu-access";
import type { ClusterConfig } from "./config";

/** Whose setting it is where a cluster has cards of both vendors: runtime classes are NVIDIA's, device groups Radeon's. */
const OWNERS = { gpuRuntimeClass: "nvidia", gpuDevices: "amd" } as const satisfies Record<string, GpuVendor>;

/** Settings of a cluster's section; not every kind of cluster has all of them. */
type GpuSettings = Pick<ClusterConfig<"local">, keyof typeof OWNERS> &
  Partial<Pick<ClusterConfig, "kind" | "provision">>;

/**
 * The class that k3s offers where it finds NVIDIA's container runtime when it starts. The host's checks ask for that runtime before k3s comes, so
 * that a cluster that is made of a machine with such cards has the class. As k3s' default runtime it would be everybody's.
 */
const NVIDIA_CLASS_OF_K3S = "nvidia";

/**
 * Images of CUDA ask for all cards by this variable, which NVIDIA's container runtime grants beside what CDI brings: each pod would see
 * its neighbours'. The device plugin sets none then. `none` gave all of them before toolkit 1.18.2 (NVIDIA/cloud-native-docs@52dcb7b8).
 */
const NO_CARDS_BY_VARIABLE = { NVIDIA_VISIBLE_DEVICES: "void" } as const;

/**
 * What pods of each vendor get of the cluster's settings. In a cluster of one vendor, they are all that vendor's.
 *
 * @param vendors of the pools that the cluster has.
 * @param read groups of AMD's device files, as the machine says them: those that somebody wrote count before.
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
    // NVIDIA's device files are open to everybody: what was read is of no use there.
    ...(vendor === devices && groups !== undefined && (vendor === "amd" || written.length > 0) && { groups }),
  });
  return { nvidia: access("nvidia"), amd: access("amd") };
}
