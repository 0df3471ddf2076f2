/** Host memory that a model's options take, and messages where a node has too little. */
import type { GpuSpec, MachineShape } from "../../catalog/shapes";
import { engineOf } from "../../engines";
import { type HostMemoryUse, sumOfUses } from "../../engines/host-memory";
import type { Layout } from "../layouts";
import type { ModelRequest } from "../request";
import { gib } from "./words";

export function optionMemory(model: ModelRequest, layout: Layout, gpu?: GpuSpec): readonly HostMemoryUse[] {
  const { gpusPerNode, tensorParallel, pipelineParallel } = layout;
  const pod = { processes: Math.max(1, gpusPerNode), tensorParallel, pipelineParallel };
  return engineOf(model.engine).hostMemory?.(model, { ...pod, ...(gpu && { gpuVendor: gpu.vendor }) }) ?? [];
}

export function optionMemoryNotes(uses: readonly HostMemoryUse[]): string[] {
  return uses.filter(({ memoryGiB }) => memoryGiB > 0).map((use) => `of each pod's memory ${useText(use)}`);
}

function useText({ option, memoryGiB, sharedMemoryGiB, how }: HostMemoryUse): string {
  const shared = sharedMemoryGiB > 0 ? `, ${gib(sharedMemoryGiB)} of it in /dev/shm` : "";
  return `${option} takes ${gib(memoryGiB)}${shared} (${how})`;
}

/** Why the engine would not start on the machine, whatever the pod's size. */
export function beyondMachine(
  { name }: Pick<ModelRequest, "name">,
  uses: readonly HostMemoryUse[],
  { name: shape, memoryGiB }: Pick<MachineShape, "name" | "memoryGiB">,
): { readonly short: string; readonly remedy: string } | undefined {
  const use = uses.find(({ machineGiB = 0 }) => machineGiB > memoryGiB);
  return (
    use && {
      short: `${use.option}: ${use.how}; ${shape} has ${gib(memoryGiB)}`,
      remedy: `lower models.${name}.${use.option}, or remove it`,
    }
  );
}

interface Lack {
  readonly short: string;
  readonly roomGiB: number;
  /** What else would give the pod more. */
  readonly more?: string;
}

export function optionMemoryShort(
  { name }: Pick<ModelRequest, "name">,
  uses: readonly HostMemoryUse[],
  lack: Lack,
): { readonly short: string; readonly remedy?: string } {
  const { memoryGiB } = sumOfUses(uses);
  if (memoryGiB <= lack.roomGiB) {
    return { short: lack.short };
  }
  const taking = uses.filter((use) => use.memoryGiB > 0);
  const options = taking.map(({ option }) => `models.${name}.${option}`).join(" and ");
  const [them, take] = taking.length > 1 ? ["them", "they take"] : ["it", "it takes"];
  const room = Math.floor(lack.roomGiB * 10) / 10;
  const less = room > 0 ? `lower ${options} until ${take} ${gib(room)} or less, remove ${them}` : `remove ${options}`;
  return {
    short: `${lack.short}: ${taking.map(useText).join("; ")}`,
    remedy: [less, "take a pool with more memory", ...(lack.more === undefined ? [] : [lack.more])].join(", or "),
  };
}
