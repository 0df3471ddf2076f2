import { DRIVER_LABEL, MIG_STATE } from "../../names/gpu-sharing";
import type { Cluster } from "../core/cluster";
import type { PoolNodes } from "../core/node-placement";
import type { GpuSoftwareArgs } from "./gpu-software";
import { makesDrivers } from "./nvidia";
import { isParted } from "./sharing";
import { nodesOf, type SoftwarePool } from "./software-pool";

/**
 * Nodes of a pool that are ready for GPU metrics exporters. Exporters hold GPUs open, which blocks
 * repartitioning, so a state label makes their pods leave meanwhile. Where nodes build drivers,
 * waiting would exceed Helm's timeout.
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
    // The label is not guaranteed where others partition the GPUs.
    ...(isParted(pool) &&
      by !== "present" && { nodeSelector: { ...nodes.nodeSelector, [MIG_STATE.key]: MIG_STATE.done } }),
    ...(comesLater && { having: [DRIVER_LABEL] }),
  };
}
