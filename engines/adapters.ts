/** LoRA adapters: small weights that an engine adds to a model's, for requests that name them. */
import type { ServedModel } from "./served-model";

/** What of a model decides the room for its adapters. */
export type AdapterDemand = Pick<ServedModel, "adapters" | "maxLoras" | "maxLoraRank">;

/** Memory that an engine sets aside when it starts, whatever adapters it then loads into it. */
export interface AdapterRoom {
  /** Adapters that the GPUs hold at once; the others wait in the pod's memory. */
  readonly slots: number;
  /** Largest rank that a slot takes. */
  readonly maxRank: number;
}

/** How an engine serves adapters. */
export interface AdapterSupport {
  /** Adapters of one model. */
  readonly most: number;
  /** Ranks that it makes room for, ascending. */
  readonly ranks: readonly number[];
  /** @returns undefined where the model has no adapters. */
  room(model: AdapterDemand): AdapterRoom | undefined;
}
