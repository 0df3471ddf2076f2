import type { GpuSharing } from "../../catalog/gpu-sharing";
import { WHOLE_CARDS } from "../../names/gpu-sharing";
import { timeSlicesConfig } from "../../planner/slices";

interface Shared {
  readonly sharing?: GpuSharing;
}

/** NVIDIA device plugin configurations by name, and the default. */
export interface DevicePluginConfigurations {
  readonly data: Readonly<Record<string, string>>;
  readonly default: string;
}

/** MIG layout of nodes without a label, unless all pools share one. */
export const NO_SLICES = "all-disabled";

export function isParted({ sharing }: Shared): boolean {
  return sharing !== undefined && "mig" in sharing;
}

/** Pods per time-sliced GPU; undefined without time slicing. */
export function turnsOf({ sharing }: Shared): number | undefined {
  return sharing !== undefined && "timeSlicing" in sharing ? sharing.timeSlicing.replicas : undefined;
}

/**
 * Layout of nodes without a label: edge machines need no label if all pools have the same layout.
 */
export function defaultSlices(pools: readonly Shared[]): string {
  const layouts = new Set(pools.map(({ sharing }) => (sharing && "mig" in sharing ? sharing.mig : NO_SLICES)));
  const [only, ...others] = layouts;
  return only === undefined || others.length > 0 ? NO_SLICES : only;
}

/**
 * Device plugin configurations for time slicing; undefined without it. A separate resource name
 * (`nvidia.com/gpu.shared`) keeps time slices from pods that request a GPU. No pod gets two, which
 * could share a GPU.
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
