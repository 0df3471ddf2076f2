/** What `npm run model` sizes for: the GPUs of a card or of a machine shape, or host memory. */
import { findGpus } from "../../catalog/find-gpu";
import { findShape, type GpuSpec, gpuModels, type MachineShape, shapes } from "../../catalog/shapes";
import { LIST_CARDS, LIST_SHAPES } from "../../stacks/config/list-commands";
import { suggest } from "../../stacks/config/problems";

export interface Machine {
  /** One GPU's memory as its driver hands it out, or the host's for models on CPUs. */
  readonly memoryGiB: number;
  readonly gpuModel?: string;
  /** The card, where the catalogue has it. */
  readonly gpu?: GpuSpec;
  readonly device: "gpu" | "cpu";
  /** The machine around the GPUs, where it is known. */
  readonly shape?: MachineShape;
}

export interface MachineWish {
  readonly shape?: string;
  readonly gpu?: string;
  readonly gpuMemoryGiB?: number;
  readonly hostMemoryGiB?: number;
}

/** An 80 GB H100 as its driver reports it. */
const DEFAULT_GPU_MEMORY_GIB = 79.19;

/** @returns the machine, or what is wrong with the wish. */
export function machineFor({
  shape,
  gpu,
  gpuMemoryGiB,
  hostMemoryGiB,
}: MachineWish): Machine | { readonly problem: string } {
  const given = Object.entries({ shape, gpu, "host-memory-gib": hostMemoryGiB }).filter(
    ([, value]) => value !== undefined,
  );
  if (given.length > 1) {
    return { problem: `give one of ${given.map(([name]) => `--${name}`).join(" and ")}` };
  }
  if (hostMemoryGiB !== undefined) {
    return { memoryGiB: hostMemoryGiB, device: "cpu" };
  }
  if (shape !== undefined) {
    return machineOfShape(shape, gpuMemoryGiB);
  }
  return gpu === undefined
    ? { memoryGiB: gpuMemoryGiB ?? DEFAULT_GPU_MEMORY_GIB, device: "gpu" }
    : machineOfCard(gpu, gpuMemoryGiB);
}

function machineOfShape(name: string, gpuMemoryGiB: number | undefined): Machine | { readonly problem: string } {
  const shape = findShape(name) ?? shapes.find((each) => each.name.toLowerCase() === name.toLowerCase());
  const names = shapes.filter((each) => each.gpu).map((each) => each.name);
  if (!shape?.gpu) {
    const what = shape
      ? `${shape.name} has no GPU: give its memory as --host-memory-gib`
      : `--shape ${JSON.stringify(name)} is not in the catalogue`;
    return { problem: `${what}; ${suggest(name, names, "take another")} (${LIST_SHAPES})` };
  }
  return {
    memoryGiB: gpuMemoryGiB ?? shape.gpu.engineMemoryGiB,
    gpuModel: shape.gpu.model,
    gpu: shape.gpu,
    device: "gpu",
    shape,
  };
}

function machineOfCard(name: string, gpuMemoryGiB: number | undefined): Machine | { readonly problem: string } {
  const found = findGpus(name);
  const [first] = found;
  const isOne = new Set(found.map((gpu) => gpu.engineMemoryGiB)).size === 1;
  if (first && isOne) {
    const resource = first.vendor === "nvidia" ? "nvidia.com/gpu" : "amd.com/gpu";
    return {
      memoryGiB: gpuMemoryGiB ?? first.engineMemoryGiB,
      gpuModel: first.model,
      gpu: { ...first, count: 1, resource },
      device: "gpu",
    };
  }
  if (found.length > 1 && gpuMemoryGiB === undefined) {
    return { problem: `--gpu ${JSON.stringify(name)} can be ${found.map((gpu) => gpu.model).join(", ")}: write which` };
  }
  if (gpuMemoryGiB !== undefined) {
    return { memoryGiB: gpuMemoryGiB, gpuModel: name, device: "gpu" };
  }
  const names = gpuModels.map((gpu) => gpu.model);
  return {
    problem: `--gpu ${JSON.stringify(name)} is not in the catalogue; ${suggest(name, names, "take another")} (${LIST_CARDS}), or add --gpu-memory-gib`,
  };
}
