import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shortened } from "../../../services/model-control/src/words";
import { anyCharacter } from "../../harness/any-character";

describe("words of others", () => {
  it("stay as they are while they are short", () => {
    expect(shortened("model 'm:1' not found")).toBe("model 'm:1' not found");
  });

  it("keep the beginning and the end, where the cause of a failed download stands", () => {
    const words = `max retries exceeded: Get "https://registry/${"a".repeat(5000)}": dial tcp: no such host`;
    expect(shortened(words)).toMatch(/^max retries exceeded: Get .* … a+": dial tcp: no such host$/);
  });

  it("are one line, never longer than the limit, whatever they are", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, maxLength: 3000 }),
        fc.integer({ min: 10, max: 600 }),
        (words, limit) => {
          const text = shortened(words, limit);
          expect(text.length).toBeLessThanOrEqual(limit);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
          expect(text).not.toMatch(/[\u0000-\u001f\u007f]/);
        },
      ),
    );
    expect(shortened("x".repeat(1e6)).length).toBe(500);
  });
});
