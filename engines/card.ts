/** What an engine says of a model on a card, and how cards are told in such sentences. */
import type { CardNeeds } from "../catalog/card-needs";
import type { CardAbilities } from "../catalog/shapes";

/** Why an engine would not start, and what would change that. */
export interface CardRefusal {
  readonly reason: string;
  readonly remedy: string;
}

export interface CardVerdict {
  readonly refusals: readonly CardRefusal[];
  /** What a reader of the plan should know of a model that starts. */
  readonly notes: readonly string[];
  /** Why it is unknown whether it starts: what the release asks of it was not read. */
  readonly unread?: CardRefusal;
}

/** A card that was read: its name, and what it can do. */
export type Card = CardAbilities & { readonly model: string };

export const NOTHING_TO_SAY: CardVerdict = { refusals: [], notes: [] };
export const OTHER_CARDS = "take a pool with other cards";

/** A card by what decides. */
export function describe({ model, computeCapability, gfx }: Pick<Card, "model" | "computeCapability" | "gfx">): string {
  return gfx === undefined ? `${model} has compute capability ${computeCapability?.toFixed(1)}` : `${model} is ${gfx}`;
}

/** What is needed, in the words of the card's vendor. */
export function describeNeeds({ computeCapability = 0, below, gfx = [] }: CardNeeds, card: CardAbilities): string {
  if (card.gfx === undefined) {
    const most = below === undefined ? "or higher" : `or higher and below ${below.toFixed(1)}`;
    return `compute capability ${computeCapability.toFixed(1)} ${most}`;
  }
  return gfx.length > 0 ? `one of ${gfx.join(", ")}` : "a card of NVIDIA";
}
