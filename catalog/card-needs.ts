import type { CardAbilities } from "./shapes";

/** Compute capability (NVIDIA), or compiler targets (AMD; default: any). */
export interface CardNeeds {
  readonly computeCapability?: number;
  /** The first compute capability that is too new. */
  readonly below?: number;
  readonly gfx?: readonly string[];
  /** AMD targets for which a code path exists that no known user has run. */
  readonly unproven?: readonly string[];
}

/** Whether a card has what is asked for. */
export function meets(card: CardAbilities, needs: CardNeeds): "yes" | "no" | "unproven" {
  if (card.gfx !== undefined) {
    if (needs.unproven?.includes(card.gfx)) {
      return "unproven";
    }
    return needs.gfx === undefined || needs.gfx.includes(card.gfx) ? "yes" : "no";
  }
  const { computeCapability = 0 } = card;
  const { computeCapability: least = 0, below = Number.POSITIVE_INFINITY } = needs;
  return computeCapability >= least && computeCapability < below ? "yes" : "no";
}
