/** Platforms of an own engine image, as stated by the user. */
import { nvidiaDriverOf } from "../../catalog/cuda-drivers";
import { leastRocmDriver } from "../../catalog/rocm-drivers";
import type { MachineShape } from "../../catalog/shapes";
import type { OwnImage } from "../types";

/** Why its pods would not start on a machine, and the fix. Undefined: they may start. */
export function ownImageProblem(
  { reference, platforms, cuda, rocm }: OwnImage,
  { name, cpu, gpu }: Pick<MachineShape, "name" | "cpu" | "gpu">,
): { readonly reason: string; readonly remedy: string } | undefined {
  if (platforms && !platforms.includes(`linux/${cpu.arch}`)) {
    return {
      reason: `the image ${reference} is made for ${platforms.join(" and ")}, and ${name} has CPUs of linux/${cpu.arch}`,
      remedy: "take a pool of such machines, or build the image for theirs",
    };
  }
  const builtFor = [
    ...(cuda === undefined ? [] : [{ library: `CUDA ${cuda}`, vendor: "nvidia" }]),
    ...(rocm === undefined ? [] : [{ library: `ROCm ${rocm}`, vendor: "amd" }]),
  ];
  return builtFor.length === 0 || builtFor.some(({ vendor }) => vendor === gpu?.vendor)
    ? undefined
    : {
        reason: `the image ${reference} brings ${builtFor.map(({ library }) => library).join(" and ")}, and ${name} computes on ${gpu?.model ?? "CPUs"}`,
        remedy: "take another pool, or an image for its processors",
      };
}

/** Oldest driver, and what needs it. Undefined where its library is unknown. */
export function ownImageDriver(
  { cuda, rocm }: OwnImage,
  vendor: "nvidia" | "amd",
): { readonly least: string; readonly because: string } | undefined {
  if (vendor === "nvidia") {
    const driver = nvidiaDriverOf({ cuda });
    return driver && { least: `${driver.least}`, because: driver.because };
  }
  const least = rocm === undefined ? undefined : leastRocmDriver(rocm);
  return least === undefined ? undefined : { least, because: `ROCm ${rocm}` };
}
