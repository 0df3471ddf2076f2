import type { MachineShape } from "../../catalog/shapes";
import type { ModelSource } from "../../engines/served-model";
import { originOf } from "../../engines/sources";

/** The machine's card; without GPUs its shape with CPUs, as own machines have no other name. */
export function measuredCard({ gpu, name, cpu }: Pick<MachineShape, "gpu" | "name" | "cpu">): string {
  return gpu?.model ?? `${name} with ${cpu.vcpus} vCPUs`;
}

/** Source without revision, which seldom changes the shape. */
export function measuredModel(source: ModelSource): string {
  if (source.kind === "huggingface") {
    return source.repository;
  }
  return originOf(source).name;
}
