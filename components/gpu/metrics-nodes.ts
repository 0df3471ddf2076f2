import { DRIVER_LABEL, MIG_STATE } from "../../names/gpu-sharing";
import type { Cluster } from "../core/cluster";
import type { PoolNodes } from "../core/node-placement";
import type { GpuSoftwareArgs } from "./gpu-software";
import { makesDrivers } from "./nvidia";
import { isParted } from "./sharing";
import { nodesOf, type SoftwarePool } from "./software-pool";

/**
 * Nodes of a pool once exporters of GPU metrics can be on them. An exporter holds the cards that it asks: the MIG manager could not
 * part them. It says in a label how far it is, and pods of a DaemonSet leave a node that does not have what they ask for, so that the
 * exporter goes before the cards are parted anew, and comes back. Where drivers are made on the nodes, it would wait for them so
 * long that Helm gave it up.
 */
export function metricsNodes(
  pool: SoftwarePool,
  { by, software }: { readonly by: Cluster["gpuSoftware"]; readonly software: GpuSoftwareArgs | undefined },
): PoolNodes {
  const nodes = nodesOf(pool);
  const isNvidia = pool.shape.gpu?.vendor === "nvidia";
  const comesLater = isNvidia && software?.by === "platform" && makesDrivers(software.pools, software.image);
  return {
    ...nodes,
    // Nobody promises the label where others part the cards.
    ...(isParted(pool) &&
      by !== "present" && { nodeSelector: { ...nodes.nodeSelector, [MIG_STATE.key]: MIG_STATE.done } }),
    ...(comesLater && { having: [DRIVER_LABEL] }),
  };
}
