/** By what a measurement is found again. */
import type { MachineShape } from "../../catalog/shapes";
import type { ModelSource } from "../../engines/served-model";
import { originOf } from "../../engines/sources";

/** The card of a machine; of one without GPUs its shape with its CPUs, which own machines have no other name for. */
export function measuredCard({ gpu, name, cpu }: Pick<MachineShape, "gpu" | "name" | "cpu">): string {
  return gpu?.model ?? `${name} with ${cpu.vcpus} vCPUs`;
}

/** Where weights come from, whatever their revision: that seldom changes their shape. */
export function measuredModel(source: ModelSource): string {
  if (source.kind === "huggingface") {
    return source.repository;
  }
  return originOf(source).name;
}
