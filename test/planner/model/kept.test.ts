import { expect, it, vi } from "vitest";
import { Kept } from "../../../planner/model/kept";

it("computes a value once for each object and key, be it undefined", () => {
  const kept = new Kept<object, string, string | undefined>();
  const [first, second] = [{}, {}];
  const compute = vi.fn((value?: string) => value);
  expect(kept.get(first, "a", () => compute("first"))).toBe("first");
  expect(kept.get(first, "a", () => compute("again"))).toBe("first");
  expect(kept.get(second, "a", () => compute("second"))).toBe("second");
  expect(kept.get(first, "b", () => compute())).toBeUndefined();
  expect(kept.get(first, "b", () => compute("again"))).toBeUndefined();
  expect(compute).toHaveBeenCalledTimes(3);
});

it("keeps nothing of what throws", () => {
  const kept = new Kept<object, string, string>();
  const owner = {};
  expect(() =>
    kept.get(owner, "a", () => {
      throw new Error("no such format");
    }),
  ).toThrow("no such format");
  expect(kept.get(owner, "a", () => "known")).toBe("known");
});
