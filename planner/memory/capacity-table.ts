/** The published rule of thumb for 4-bit models on one inference node. */
import table from "./capacity-table.json";

export interface CapacityRow {
  /** Size class in 10^9 parameters. */
  readonly parametersB: number;
  /** All GPUs together, GB. */
  readonly minGpuMemoryGB: number;
  readonly gpus: number;
  /** Of a single request. */
  readonly tokensPerSecond: { readonly from: number; readonly to: number };
  readonly batchingBenefit: string;
}

/** Bits per parameter in the table. */
export const TABLE_BITS = table.bitsPerParameter;

export const capacityRows: readonly CapacityRow[] = table.rows;

/** Models slightly exceed their class ("7B" is 7.6 billion for Qwen 2.5). */
const CLASS_TOLERANCE = 1.25;

/**
 * The smallest class that holds the model; undefined above the largest.
 * @param parametersB parameters in units of 10^9
 */
export function capacityRow(parametersB: number): CapacityRow | undefined {
  return capacityRows.find((row) => parametersB <= row.parametersB * CLASS_TOLERANCE);
}
