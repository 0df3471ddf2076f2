import type { GpuSharing } from "../catalog/gpu-sharing";
import { migProfile } from "../catalog/mig-profiles";
import type { GpuSlice, GpuSpec, MachineShape } from "../catalog/shapes";
import { DEVICE_PLUGIN_CONFIG_LABEL, MIG_CONFIG_LABEL } from "../names/gpu-sharing";

/**
 * The machine as pods see it where its GPUs are parted: each part is a smaller GPU of its own. Parts have neither NVLink
 * nor PCIe between them (NVIDIA's MIG user guide). Slices have the memory that the driver says; turns on a card are given equal shares of what a process sees of it, which
 * nothing enforces.
 *
 * @throws RangeError where the cards cannot be parted so: validation should have refused it (stacks/config/rules/sharing.ts).
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

/** Whether `parted` has an answer. */
export function canBeParted({ gpu }: MachineShape, sharing: GpuSharing | undefined): boolean {
  return (
    sharing === undefined ||
    (gpu?.vendor === "nvidia" && (!("mig" in sharing) || migProfile(gpu.model, sharing.mig) !== undefined))
  );
}

/** GPUs, or parts of them, that one pod may have: parts of cards cannot work together, as they reach none of the others' memory. */
export function mostPerPod({ slice, count }: GpuSpec): number {
  return slice ? 1 : count;
}

/** What one GPU is that a pod gets, of `n`: "GPU", "slice", "turn". */
export function partWord(slice: GpuSlice | undefined, n = 1): string {
  const word = slice === undefined ? "GPU" : slice.kind === "mig" ? "slice" : "turn";
  return n === 1 ? word : `${word}s`;
}

/** The same with the profile of slices: "1g.10gb slice". */
export function partName(slice: GpuSlice | undefined, n = 1): string {
  return slice?.profile === undefined ? partWord(slice, n) : `${slice.profile} ${partWord(slice, n)}`;
}

/** The GPUs of a machine for people: "8 × NVIDIA H100 80GB SXM", "1 × NVIDIA A10 in 4 turns", "… in 7 1g.10gb slices each". */
export function gpusText({ count, model, slice }: Pick<GpuSpec, "count" | "model" | "slice">): string {
  if (slice === undefined) {
    return `${count} × ${model}`;
  }
  const { cards, perGpu } = slice;
  return `${cards} × ${model} in ${perGpu} ${partName(slice, perGpu)}${cards > 1 ? " each" : ""}`;
}

/** Labels by which a node's GPUs are parted: the MIG manager reads one of them, the device plugin's configuration manager the other. */
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

/** The configuration of the device plugin with which so many pods take turns on a card. */
export function timeSlicesConfig(replicas: number): string {
  return `time-slices-${replicas}`;
}
