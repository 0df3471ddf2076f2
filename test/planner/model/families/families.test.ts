import { describe, expect, it } from "vitest";
import { compare, families, notYetExact, vllmReleases } from "./compare";

const newest = vllmReleases.at(-1) ?? "";
const served = families.filter(({ servedBy }) => servedBy.includes(newest));
const unserved = families.filter(({ servedBy }) => !servedBy.includes(newest));

describe("causal language model families in their default configuration", () => {
  it.each(served.filter(({ modelType }) => !notYetExact.includes(modelType)))(
    "$modelType, which vLLM serves, has exactly its number of parameters",
    (family) => {
      expect(compare(family)).toEqual({ kind: "exact" });
    },
  );

  it.each(unserved.filter(({ modelType }) => !notYetExact.includes(modelType)))(
    "$modelType, which vLLM does not serve, is exact or refused",
    (family) => {
      expect(["exact", "refused"]).toContain(compare(family).kind);
    },
  );

  it.each(families.filter(({ modelType }) => notYetExact.includes(modelType)))(
    "$modelType is rightly on the list of families that are not exact yet (delete its line when this fails)",
    (family) => {
      const { kind } = compare(family);
      expect(kind === "exact" || (kind === "refused" && !served.includes(family))).toBe(false);
    },
  );

  it("the list of families that are not exact yet is sorted, without repetition, and names families", () => {
    expect(notYetExact).toEqual([...new Set(notYetExact)].sort());
    expect(notYetExact.filter((name) => !families.some(({ modelType }) => modelType === name))).toEqual([]);
  });

  it("covers what vLLM serves", () => {
    expect(families.length).toBeGreaterThan(150);
    expect(served.length).toBeGreaterThan(90);
  });
});
