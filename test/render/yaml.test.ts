import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { toYaml } from "../../render/yaml";
import { anyCharacter } from "../harness/any-character";

describe("toYaml", () => {
  it("says the same to readers of YAML 1.2 and 1.1", () => {
    const key = fc.string({ minLength: 1 }).filter((name) => name !== "__proto__" && name !== "<<");
    // JSON has no -0.
    const value = fc.jsonValue({ stringUnit: anyCharacter }).map((json): unknown => JSON.parse(JSON.stringify(json)));
    fc.assert(
      fc.property(fc.dictionary(key, value, { noNullPrototype: true }), (object) => {
        const text = toYaml(object);
        const plain: unknown = JSON.parse(JSON.stringify(object));
        expect(parse(text, { version: "1.2" })).toEqual(plain);
        expect(parse(text, { version: "1.1" })).toEqual(plain);
        expect(text).not.toContain("\r");
      }),
    );
  });

  it.each(["on", "No", "y", "1e3", "0o17", "017", "1_000", "12:30:00", "~", "", "1.0", "2024-01-01", "0x1F", ".inf"])(
    "keeps the string %j a string, also for YAML 1.1",
    (text) => {
      expect(parse(toYaml({ text }), { version: "1.1" })).toEqual({ text });
      expect(parse(toYaml({ text }), { version: "1.2" })).toEqual({ text });
    },
  );

  it("does not depend on the order in which keys were set", () => {
    expect(toYaml({ spec: { b: 1, a: 2 }, kind: "K", apiVersion: "v1", metadata: { namespace: "s", name: "x" } })).toBe(
      "apiVersion: v1\nkind: K\nmetadata:\n  name: x\n  namespace: s\nspec:\n  a: 2\n  b: 1\n",
    );
  });

  it("writes scripts as blocks, long lines unfolded, and what stands twice twice", () => {
    const labels = { a: "b" };
    const long = "word ".repeat(60).trim();
    expect(toYaml({ data: { "run.sh": "set -e\necho done\n", long }, x: labels, y: labels })).toBe(
      `data:\n  long: ${long}\n  run.sh: |\n    set -e\n    echo done\nx:\n  a: b\n"y":\n  a: b\n`,
    );
  });
});
