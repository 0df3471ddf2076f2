import { createRequire } from "node:module";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Field, snapshot, UNKNOWN } from "../../../policies/lib/field";

/** What the policy SDK wraps properties in; its type declarations leave it out. */
const { unknownCheckingProxy, unknownStringValue } = createRequire(import.meta.url)("@pulumi/policy/proxy") as {
  unknownCheckingProxy<T extends object>(properties: T): T;
  unknownStringValue: string;
};

const field = (value: unknown) => {
  const unknownPaths = new Set<string>();
  return { root: new Field(snapshot(value), "", unknownPaths), unknownPaths };
};

describe("snapshot", () => {
  test("any JSON document stays as it is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain = JSON.parse(JSON.stringify(value));
        expect(snapshot(plain)).toEqual(plain);
      }),
    );
  });

  test("the policy SDK's proxies, which throw on unknown values, become plain data", () => {
    const proxy = unknownCheckingProxy({
      spec: { replicas: 1, image: unknownStringValue, list: ["a", unknownStringValue] },
    });
    expect(() => proxy.spec.image).toThrow("can't be known during preview");
    expect(snapshot(proxy)).toEqual({ spec: { replicas: 1, image: UNKNOWN, list: ["a", UNKNOWN] } });
  });

  test("objects that are no data are unknown", () => {
    expect(snapshot({ archive: new Map(), text: "x" })).toEqual({ archive: UNKNOWN, text: "x" });
  });
});

describe("Field", () => {
  test("paths read like the manifest", () => {
    const { root } = field({ data: { "plan.json": [{ a: 1 }] } });
    const leaf = root.get("data", "plan.json", 0, "a");
    expect(leaf.path).toBe('data["plan.json"][0].a');
    expect(leaf.value).toBe(1);
  });

  test("what does not exist is absent, and absent is known", () => {
    const { root, unknownPaths } = field({ a: "text" });
    expect(root.get("a", "b", "c").is((value) => value === undefined)).toBe(true);
    expect(root.get("constructor").value).toBeUndefined();
    expect(unknownPaths.size).toBe(0);
  });

  test("below an unknown value everything is unknown, and is remembered once asked", () => {
    const { root, unknownPaths } = field(unknownCheckingProxy({ spec: unknownStringValue }));
    const leaf = root.get("spec", "template");
    expect(unknownPaths.size).toBe(0);
    expect([leaf.is(() => true), leaf.items(), leaf.entries(), leaf.text()]).toEqual([false, [], [], undefined]);
    expect([...unknownPaths]).toEqual(["spec"]);
  });
});
