import type { GpuSharing } from "../catalog/gpu-sharing";
import type { MachineShape } from "../catalog/shapes";
import type { PoolRequest } from "./request";
import { sharingLabels } from "./slices";

/** Names the pool that a node belongs to. */
export const POOL_LABEL = "inference-stacks.io/pool";

/** Names the machine of a node. Clouds set it on every node of theirs, and nobody else may. */
export const MACHINE_LABEL = "node.kubernetes.io/instance-type";

type Labels = Readonly<Record<string, string>>;

/** Labels that nodes have from their cloud, whatever pool they are of. */
export function cloudLabels({ provider, name }: MachineShape): Labels {
  return provider === "onprem" ? {} : { [MACHINE_LABEL]: name };
}

/**
 * What nodes of a pool get, and what its pods ask for on nodes that somebody else made: there the pool's own label is
 * known only of GPU machines of one's own, whose owner has nothing else to set. Every node has its `labels` and its
 * cloud's, so that every one has what is asked for.
 *
 * @param own labels that the environment says the pool's nodes have.
 * @param sharing by which its nodes' GPUs are parted: pods find the parts by their resource, and need no label for that.
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
