import { findShape, type MachineShape, onPremNode, sizedFlex } from "../../../catalog/shapes";
import type { PoolConfig } from "./schema";

/** Default Ethernet: the least of such machines. */
const DEFAULT_NETWORK_GBPS = 1;

/**
 * The catalogue's row (flexible shapes sized), or the stated own machine.
 *
 * @throws Error for an unknown shape or card, or an invalid size, which a checked environment does
 * not have.
 */
export function machineOf(pool: PoolConfig): MachineShape {
  if (pool.node) {
    const { gpuCount = 0, localNvmeGB = 0, networkGbps = DEFAULT_NETWORK_GBPS, ...stated } = pool.node;
    return onPremNode({ ...stated, gpuCount, localNvmeGB, networkGbps });
  }
  const shape = findShape(pool.shape ?? "");
  if (!shape) {
    throw new Error(`unknown machine shape "${pool.shape ?? ""}"`);
  }
  const { ocpus, memoryGiB } = pool;
  // Oracle's GB are GiB.
  return sizedFlex(shape, ocpus === undefined || memoryGiB === undefined ? undefined : { ocpus, memoryGB: memoryGiB });
}

/** As stated, else by GPUs. */
export function roleOf(pool: PoolConfig, machine: MachineShape): "system" | "gpu" | "cpu" {
  return pool.role ?? (machine.gpu ? "gpu" : "system");
}
