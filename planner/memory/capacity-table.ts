/** The published rule of thumb for 4-bit models on one inference node, as data and as a lookup. */
import table from "./capacity-table.json";

export interface CapacityRow {
  /** Size class in 10^9 parameters. */
  readonly parametersB: number;
  /** GPU memory the class needs, all GPUs together, in GB. */
  readonly minGpuMemoryGB: number;
  readonly gpus: number;
  /** Tokens per second of a single request. */
  readonly tokensPerSecond: { readonly from: number; readonly to: number };
  readonly batchingBenefit: string;
}

/** Bits per parameter that the table counts. */
export const TABLE_BITS = table.bitsPerParameter;

export const capacityRows: readonly CapacityRow[] = table.rows;

/** Models are published in sizes slightly above their class ("7B" is 7.6 billion for Qwen 2.5). */
const CLASS_TOLERANCE = 1.25;

/**
 * The row of the smallest size class that holds the model; undefined above the table's largest class.
 * @param parametersB parameters in units of 10^9
 */
export function capacityRow(parametersB: number): CapacityRow | undefined {
  return capacityRows.find((row) => parametersB <= row.parametersB * CLASS_TOLERANCE);
}
