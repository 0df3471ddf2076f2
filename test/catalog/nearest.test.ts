import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editDistance, nearest } from "../../catalog/nearest";
import { repositoryRoot } from "../../catalog/root";

const word = fc.string({ maxLength: 12 });

describe("editDistance", () => {
  it("counts insertions, deletions and substitutions", () => {
    expect(editDistance("kitten", "sitting")).toBe(3);
    expect(editDistance("", "abc")).toBe(3);
  });

  it("is a metric", () => {
    fc.assert(
      fc.property(word, word, word, (a, b, c) => {
        expect(editDistance(a, a)).toBe(0);
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c));
      }),
    );
  });
});

describe("nearest", () => {
  it("finds a candidate of the smallest distance", () => {
    fc.assert(
      fc.property(word, fc.array(word, { minLength: 1 }), (name, candidates) => {
        const found = nearest(name, candidates);
        const smallest = Math.min(...candidates.map((candidate) => editDistance(name, candidate)));
        expect(found === undefined ? undefined : editDistance(name, found)).toBe(smallest);
      }),
    );
  });

  it("finds nothing in nothing", () => {
    expect(nearest("x", [])).toBeUndefined();
  });
});

describe("repositoryRoot", () => {
  it("is the folder that holds this catalogue", () => {
    expect(existsSync(join(repositoryRoot(), "catalog", "models.json"))).toBe(true);
  });
});
