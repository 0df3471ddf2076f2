/** Compatibility of a model with a card, and descriptions of cards. */
import type { CardNeeds } from "../catalog/card-needs";
import type { CardAbilities } from "../catalog/shapes";

/** Why an engine would not start, with the fix. */
export interface CardRefusal {
  readonly reason: string;
  readonly remedy: string;
}

export interface CardVerdict {
  readonly refusals: readonly CardRefusal[];
  /** Remarks for readers of the plan if the model starts. */
  readonly notes: readonly string[];
  /** Why compatibility is unknown: the release's requirements were not read. */
  readonly unread?: CardRefusal;
}

export type Card = CardAbilities & { readonly model: string };

export const NOTHING_TO_SAY: CardVerdict = { refusals: [], notes: [] };
export const OTHER_CARDS = "take a pool with other cards";

export function describe({ model, computeCapability, gfx }: Pick<Card, "model" | "computeCapability" | "gfx">): string {
  return gfx === undefined ? `${model} has compute capability ${computeCapability?.toFixed(1)}` : `${model} is ${gfx}`;
}

/** Requirements in the vendor's terms. */
export function describeNeeds({ computeCapability = 0, below, gfx = [] }: CardNeeds, card: CardAbilities): string {
  if (card.gfx === undefined) {
    const most = below === undefined ? "or higher" : `or higher and below ${below.toFixed(1)}`;
    return `compute capability ${computeCapability.toFixed(1)} ${most}`;
  }
  return gfx.length > 0 ? `one of ${gfx.join(", ")}` : "a card of NVIDIA";
}
