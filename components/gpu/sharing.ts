import type { GpuSharing } from "../../catalog/gpu-sharing";
import { WHOLE_CARDS } from "../../names/gpu-sharing";
import { timeSlicesConfig } from "../../planner/slices";

interface Shared {
  readonly sharing?: GpuSharing;
}

/** Configurations of NVIDIA's device plugin by their names, and which one nodes have that name none. */
export interface DevicePluginConfigurations {
  readonly data: Readonly<Record<string, string>>;
  readonly default: string;
}

/** The layout of MIG slices that nodes get whose label names none: the pools' own, where they are at one. */
export const NO_SLICES = "all-disabled";

export function isParted({ sharing }: Shared): boolean {
  return sharing !== undefined && "mig" in sharing;
}

/** How many pods take turns on each card; undefined where they do not. */
export function turnsOf({ sharing }: Shared): number | undefined {
  return sharing !== undefined && "timeSlicing" in sharing ? sharing.timeSlicing.replicas : undefined;
}

/** The layout of nodes without a label: a machine of one's own need not be labelled, where all are parted alike. */
export function defaultSlices(pools: readonly Shared[]): string {
  const layouts = new Set(pools.map(({ sharing }) => (sharing && "mig" in sharing ? sharing.mig : NO_SLICES)));
  const [only, ...others] = layouts;
  return only === undefined || others.length > 0 ? NO_SLICES : only;
}

/**
 * What device plugins are told where pods take turns on cards; undefined where they nowhere do. A turn has a name of its own
 * (`nvidia.com/gpu.shared`), so that no pod gets one that asks for a card, and nobody gets two: they may be of one card.
 */
export function devicePluginConfigurations(pools: readonly Shared[]): DevicePluginConfigurations | undefined {
  const turns = pools.map(turnsOf);
  const numbers = [...new Set(turns.flatMap((replicas) => replicas ?? []))].sort((a, b) => a - b);
  const [only] = numbers;
  if (only === undefined) {
    return undefined;
  }
  return {
    data: {
      [WHOLE_CARDS]: "version: v1\n",
      ...Object.fromEntries(numbers.map((replicas) => [timeSlicesConfig(replicas), timeSlices(replicas)])),
    },
    default: turns.every((replicas) => replicas === only) ? timeSlicesConfig(only) : WHOLE_CARDS,
  };
}

/** Keys: NVIDIA/k8s-device-plugin v0.20.0, README, "With CUDA Time-Slicing". */
function timeSlices(replicas: number): string {
  return [
    "version: v1",
    "sharing:",
    "  timeSlicing:",
    "    renameByDefault: true",
    "    failRequestsGreaterThanOne: true",
    "    resources:",
    "      - name: nvidia.com/gpu",
    `        replicas: ${replicas}`,
    "",
  ].join("\n");
}
