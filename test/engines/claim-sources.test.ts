import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { originOf, parseSource, sourcePattern } from "../../engines/sources";

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
const part = fc.stringMatching(/^[\w-][\w.-]{0,20}$/);

describe("a source on a volume claim", () => {
  it("is read and written as one", () => {
    fc.assert(
      fc.property(label, fc.array(part, { maxLength: 4 }), fc.constantFrom("", "/", "//"), (claim, path, end) => {
        const written = ["pvc://", [claim, ...path].join("/")].join("");
        expect(sourcePattern.test(written + end)).toBe(true);
        const source = parseSource(written + end);
        expect(source).toEqual({ kind: "claim", claim, path: path.join("/") });
        expect(source && originOf(source).name).toBe(written);
      }),
    );
  });

  it.each([
    "pvc://",
    "pvc:///path",
    "pvc://Weights/path",
    "pvc://weights/../etc",
    "pvc://weights/a/./b",
    "pvc://weights//a",
    "pvc://weights/a b",
    "pvc://weights/$(HOME)",
    "pvc://-weights/a",
    `pvc://${"a".repeat(64)}/b`,
    "pvc://weights/a\n",
  ])("is none: %j", (text) => {
    expect(sourcePattern.test(text)).toBe(false);
  });
});
