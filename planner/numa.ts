import type { MachineShape } from "../catalog/shapes";
import type { NumaPolicy } from "./pool-plan";

/** How kubelets of a pool place its pods; undefined where nothing is known of its machines' NUMA nodes. */
export function numaPolicyOf(
  _shape: MachineShape,
  chosen: NumaPolicy | undefined,
  _pods: readonly { readonly gpus: number; readonly cpu: number }[],
): NumaPolicy | undefined {
  return chosen;
}
