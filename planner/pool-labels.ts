import type { GpuSharing } from "../catalog/gpu-sharing";
import type { MachineShape } from "../catalog/shapes";
import type { PoolRequest } from "./request";
import { sharingLabels } from "./slices";

export const POOL_LABEL = "inference-stacks.io/pool";

/** Machine type of a node, set by clouds only. */
export const MACHINE_LABEL = "node.kubernetes.io/instance-type";

type Labels = Readonly<Record<string, string>>;

export function cloudLabels({ provider, name }: MachineShape): Labels {
  return provider === "onprem" ? {} : { [MACHINE_LABEL]: name };
}

/**
 * Labels of provisioned nodes, and what pods select on existing ones: there the pool's label is
 * expected only of own GPU machines, whose owner has nothing else to set. Every node has its
 * `labels` and its cloud's, so that it matches.
 *
 * @param own labels of the pool's nodes in the environment.
 * @param sharing of the nodes' GPUs: pods find slices by resource, without a label.
 */
export function poolLabels(
  pool: string,
  shape: MachineShape,
  own: Labels = {},
  sharing?: GpuSharing,
): Pick<PoolRequest, "labels" | "selector"> {
  const named = { [POOL_LABEL]: pool, ...own };
  const labels = { ...named, ...sharingLabels(sharing) };
  if (shape.provider !== "onprem") {
    return { labels, selector: { ...cloudLabels(shape), ...own } };
  }
  return { labels, selector: shape.gpu ? named : own };
}
