/** Small weights added to a model's for requests that name them. */
import type { ServedModel } from "./served-model";

/** Model properties that determine adapter memory. */
export type AdapterDemand = Pick<ServedModel, "adapters" | "maxLoras" | "maxLoraRank">;

/** Memory reserved at start, whatever adapters are loaded later. */
export interface AdapterRoom {
  /** Adapters on the GPUs at once; others wait in host memory. */
  readonly slots: number;
  /** Largest rank of a slot. */
  readonly maxRank: number;
}

export interface AdapterSupport {
  readonly most: number;
  /** Ranks that it allocates for, ascending. */
  readonly ranks: readonly number[];
  /** @returns undefined without adapters. */
  room(model: AdapterDemand): AdapterRoom | undefined;
}
