import type { MachineShape } from "../catalog/shapes";
import type { PodResources } from "./types";

/** Sidecars request twentieths of a CPU. */
const STEPS_PER_CPU = 20;

/** What pods share a node by: its GPUs, else steps of its CPUs. */
export function nodeRoom({ gpu, cpu }: Pick<MachineShape, "gpu" | "cpu">): number {
  return Math.floor(gpu ? gpu.count : cpu.vcpus * STEPS_PER_CPU);
}

/** A pod's part of `nodeRoom`. */
export function podShare(
  { gpu }: Pick<MachineShape, "gpu">,
  { gpus, cpu }: Pick<PodResources, "gpus" | "cpu">,
): number {
  return gpu ? gpus : Math.max(1, Math.floor(cpu * STEPS_PER_CPU));
}
