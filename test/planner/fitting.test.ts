import { describe, expect, it } from "vitest";
import { cheapestShapes, type FittingMachine, fewestCards } from "../../planner/fitting";
import { modelOf } from "./fixtures";

const ALL = Number.POSITIVE_INFINITY;
/** Large enough to take several of most cards. */
const model = modelOf("llama-3.3-70b-instruct");

describe("machines that hold a model", () => {
  it("are the cheapest of all that do", () => {
    const all = cheapestShapes(model, ALL);
    expect(all.length).toBeGreaterThan(3);
    expect(all.map(priceOf)).toEqual(all.map(priceOf).sort((a, b) => a - b));
    expect(cheapestShapes(model, 3)).toEqual(all.slice(0, 3));
  });

  it("are told of one card alone", () => {
    const [dearest] = cheapestShapes(model, ALL).slice(-1);
    const card = dearest?.shape.gpu?.model;
    expect(cheapestShapes(model, 1, card)).toEqual([
      cheapestShapes(model, ALL).find(({ shape }) => shape.gpu?.model === card),
    ]);
  });

  it("have the fewest of one's own cards, the smallest of those, each card once", () => {
    const all = fewestCards(model, ALL);
    const order = ({ shape: { gpu } }: FittingMachine) => (gpu?.count ?? 0) * 1e6 + (gpu?.engineMemoryGiB ?? 0);
    expect(all.map(order)).toEqual(all.map(order).sort((a, b) => a - b));
    expect(new Set(all.map(({ shape }) => shape.gpu?.model)).size).toBe(all.length);
    expect(fewestCards(model, 3)).toEqual(all.slice(0, 3));
    expect(fewestCards(model, all.length - 1)).toEqual(all.slice(0, -1));
  });
});

function priceOf({ usdPerHour }: FittingMachine): number {
  return usdPerHour ?? Number.NaN;
}
