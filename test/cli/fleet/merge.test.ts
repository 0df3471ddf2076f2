import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { idleNulls, isMapping, merged, type Values } from "../../../cli/fleet/merge";
import type { Path } from "../../../stacks/config/core/problems";

/** Few names, so that mappings often share keys; `__proto__` is a name like any other. */
const key = fc.constantFrom("a", "b", "c", "kind", "__proto__");
const leaf = fc.oneof(fc.integer(), fc.boolean(), fc.string(), fc.array(fc.integer(), { maxLength: 2 }));

function values(withNulls: boolean): fc.Arbitrary<Values> {
  const tree = fc.letrec<{ node: unknown; map: Values }>((tie) => ({
    node: fc.oneof({ depthSize: "small" }, leaf, ...(withNulls ? [fc.constant(null)] : []), tie("map")),
    map: fc.dictionary(key, tie("node"), { maxKeys: 3, noNullPrototype: true }),
  }));
  return tree.map;
}

const plain = values(false);
const overlay = values(true);

function at(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) => (isMapping(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    root,
  );
}

function paths(root: unknown, path: Path = []): Path[] {
  return isMapping(root)
    ? Object.entries(root).flatMap(([step, value]) => [[...path, step], ...paths(value, [...path, step])])
    : [];
}

/** What decides a path of an overlay: the value there, or whatever of it stands above and is no mapping. */
function decided(over: Values, path: Path): { readonly value: unknown } | undefined {
  for (let length = 1; length <= path.length; length += 1) {
    const part = path.slice(0, length);
    if (!Object.hasOwn(Object(at(over, part.slice(0, -1))), part[length - 1] ?? "")) {
      return undefined;
    }
    const value = at(over, part);
    if (!isMapping(value)) {
      return { value: length === path.length ? value : undefined };
    }
  }
  return undefined;
}

describe("values laid over others", () => {
  it("have each value of the node, each inherited one that it leaves alone, and no other", () => {
    fc.assert(
      fc.property(plain, overlay, (below, above) => {
        const result = merged(below, above);
        for (const path of [...paths(below), ...paths(above), ...paths(result)]) {
          const own = decided(above, path);
          const found = at(result, path);
          if (own !== undefined) {
            expect(found).toEqual(own.value ?? undefined);
          } else if (!isMapping(found)) {
            expect(found).toEqual(isMapping(at(below, path)) ? found : at(below, path));
          }
        }
      }),
    );
  });

  it("without any are what they were, and over nothing are themselves", () => {
    fc.assert(
      fc.property(plain, (some) => {
        expect(merged(some, {})).toEqual(some);
        expect(merged({}, some)).toEqual(some);
      }),
    );
  });

  it("twice are the same as once, and leave both sides alone", () => {
    fc.assert(
      fc.property(plain, overlay, (below, above) => {
        const before = JSON.stringify([below, above]);
        const once = merged(below, above);
        expect(merged(once, above)).toEqual(once);
        expect(JSON.stringify([below, above])).toBe(before);
      }),
    );
  });

  it("hold no null, at any depth", () => {
    fc.assert(
      fc.property(plain, overlay, (below, above) => {
        const result = merged(below, above);
        expect(paths(result).filter((path) => at(result, path) === null)).toEqual([]);
      }),
    );
  });

  it("keep the inherited order, and put new keys behind", () => {
    expect(Object.keys(merged({ b: 1, a: 2 }, { c: 3, a: 4 }))).toEqual(["b", "a", "c"]);
  });

  it("replace lists whole, and a mapping by what is none", () => {
    expect(merged({ a: [1, 2], b: { c: 1 } }, { a: [3], b: "x" })).toEqual({ a: [3], b: "x" });
    expect(merged({ b: "x" }, { b: { c: 1, d: null } })).toEqual({ b: { c: 1 } });
  });
});

describe("a null", () => {
  it("is idle exactly where nothing is inherited", () => {
    fc.assert(
      fc.property(plain, overlay, (below, above) => {
        const nulls = paths(above).filter((path) => at(above, path) === null);
        const idle = idleNulls(below, above);
        expect(idle).toEqual(nulls.filter((path) => at(below, path) === undefined));
      }),
    );
  });
});
