import type { GpuSharing } from "../catalog/gpu-sharing";
import { migProfile } from "../catalog/mig-profiles";
import type { GpuSlice, GpuSpec, MachineShape } from "../catalog/shapes";
import { DEVICE_PLUGIN_CONFIG_LABEL, MIG_CONFIG_LABEL } from "../names/gpu-sharing";

/**
 * The machine as pods see it with partitioned GPUs: each part is a smaller GPU. Parts share neither
 * NVLink nor PCIe (NVIDIA's MIG user guide). Slices have the driver's memory sizes; time slices get
 * equal, unenforced shares of what a process sees.
 *
 * @throws RangeError where cards cannot be partitioned so: validation should have refused it
 * (stacks/config/rules/sharing.ts).
 */
export function parted(shape: MachineShape, sharing: GpuSharing | undefined): MachineShape {
  if (sharing === undefined) {
    return shape;
  }
  if (shape.gpu === undefined) {
    throw new RangeError(`${shape.name} has no GPU to part`);
  }
  return { ...shape, gpu: "mig" in sharing ? slices(shape.gpu, sharing.mig) : turns(shape.gpu, sharing.timeSlicing) };
}

function slices(card: GpuSpec, layout: string): GpuSpec {
  const profile = migProfile(card.model, layout);
  if (profile === undefined) {
    throw new RangeError(`${card.model} has no MIG layout ${layout}`);
  }
  const { name, perGpu, memoryGB, memoryGiB } = profile;
  return {
    ...card,
    nvlink: false,
    count: card.count * perGpu,
    memoryGB,
    memoryGiB,
    engineMemoryGiB: memoryGiB,
    resource: `nvidia.com/mig-${name}`,
    slice: { kind: "mig", profile: name, perGpu, cards: card.count },
  };
}

function turns(card: GpuSpec, { replicas }: { readonly replicas: number }): GpuSpec {
  return {
    ...card,
    nvlink: false,
    count: card.count * replicas,
    memoryGB: card.memoryGB / replicas,
    memoryGiB: card.memoryGiB / replicas,
    engineMemoryGiB: card.engineMemoryGiB / replicas,
    resource: "nvidia.com/gpu.shared",
    slice: { kind: "time-slices", perGpu: replicas, cards: card.count },
  };
}

export function canBeParted({ gpu }: MachineShape, sharing: GpuSharing | undefined): boolean {
  return (
    sharing === undefined ||
    (gpu?.vendor === "nvidia" && (!("mig" in sharing) || migProfile(gpu.model, sharing.mig) !== undefined))
  );
}

/** GPUs or slices per pod: slices do not reach each other's memory, so cannot work together. */
export function mostPerPod({ slice, count }: GpuSpec): number {
  return slice ? 1 : count;
}

/** One GPU of a pod, for `n`: "GPU", "slice", "turn". */
export function partWord(slice: GpuSlice | undefined, n = 1): string {
  const word = slice === undefined ? "GPU" : slice.kind === "mig" ? "slice" : "turn";
  return n === 1 ? word : `${word}s`;
}

/** With the slice's profile: "1g.10gb slice". */
export function partName(slice: GpuSlice | undefined, n = 1): string {
  return slice?.profile === undefined ? partWord(slice, n) : `${slice.profile} ${partWord(slice, n)}`;
}

/** "8 × NVIDIA H100 80GB SXM", "1 × NVIDIA A10 in 4 turns", "… in 7 1g.10gb slices each". */
export function gpusText({ count, model, slice }: Pick<GpuSpec, "count" | "model" | "slice">): string {
  if (slice === undefined) {
    return `${count} × ${model}`;
  }
  const { cards, perGpu } = slice;
  return `${cards} × ${model} in ${perGpu} ${partName(slice, perGpu)}${cards > 1 ? " each" : ""}`;
}

/** Read by the MIG manager, or by the device plugin's configuration manager. */
export function sharingLabels(sharing: GpuSharing | undefined): Readonly<Record<string, string>> {
  if (sharing === undefined) {
    return {};
  }
  return "mig" in sharing
    ? { [MIG_CONFIG_LABEL]: sharing.mig }
    : { [DEVICE_PLUGIN_CONFIG_LABEL]: timeSlicesConfig(sharing.timeSlicing.replicas) };
}

export function isSharingLabel(key: string): boolean {
  return key === MIG_CONFIG_LABEL || key === DEVICE_PLUGIN_CONFIG_LABEL;
}

export function timeSlicesConfig(replicas: number): string {
  return `time-slices-${replicas}`;
}
