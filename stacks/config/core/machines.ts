import { findShape, type MachineShape, onPremNode, sizedFlex } from "../../../catalog/shapes";
import type { PoolConfig } from "./schema";

/** Ethernet of a machine whose speed is not stated: the least that such machines have. */
const DEFAULT_NETWORK_GBPS = 1;

/**
 * The machine of a pool: the catalogue's row (flexible shapes sized), or the stated machine of one's own.
 *
 * @throws Error for a pool that names an unknown shape or card, or sizes a flexible shape wrongly. A checked
 * environment has no such pool.
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
  // What Oracle calls GB is GiB.
  return sizedFlex(shape, ocpus === undefined || memoryGiB === undefined ? undefined : { ocpus, memoryGB: memoryGiB });
}

/** What a pool is for: as stated, else by whether its machines have GPUs. */
export function roleOf(pool: PoolConfig, machine: MachineShape): "system" | "gpu" | "cpu" {
  return pool.role ?? (machine.gpu ? "gpu" : "system");
}
