import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { distance } from "fastest-levenshtein";
import { describe, expect, it } from "vitest";
import { nearest } from "../../catalog/nearest";
import { repositoryRoot } from "../../names/repository-root";

const word = fc.string({ maxLength: 12 });

describe("nearest", () => {
  it("finds a candidate of the smallest distance", () => {
    fc.assert(
      fc.property(word, fc.array(word, { minLength: 1 }), (name, candidates) => {
        const found = nearest(name, candidates);
        const smallest = Math.min(...candidates.map((candidate) => distance(name, candidate)));
        expect(found === undefined ? undefined : distance(name, found)).toBe(smallest);
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
