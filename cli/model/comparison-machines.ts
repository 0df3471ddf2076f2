/**
 * Machines compared under traffic: the named one, those with a card, or all cloud machines of the
 * catalogue.
 */
import { cards, type MachineShape, onPremNode, shapes } from "../../catalog/shapes";
import type { Machine } from "./machine";

/** Cards in an own machine. */
const CARDS_PER_MACHINE = [1, 2, 4, 8];

/** Empty for unknown cards. */
export function machinesToCompare({ shape, gpuModel, isNamed }: Machine): readonly MachineShape[] {
  if (shape !== undefined) {
    return [shape];
  }
  const sold = shapes.filter(({ gpu, price }) => gpu && price && "usdPerHour" in price);
  if (!isNamed) {
    return sold;
  }
  const withCard = sold.filter(({ gpu }) => gpu?.model === gpuModel);
  const card = cards.find(({ gpu }) => gpu === gpuModel);
  if (withCard.length > 0 || card === undefined) {
    return withCard;
  }
  // An unlimited host, so that the cards alone decide.
  return CARDS_PER_MACHINE.map((gpuCount) => ({
    ...onPremNode({
      card: card.name,
      gpuCount,
      localNvmeGB: 4000,
      networkGbps: 10,
      vcpus: 16 * gpuCount,
      memoryGiB: 128 * gpuCount,
    }),
    name: `${gpuCount} × ${card.name}`,
  }));
}
