import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MODEL_NAMESPACES, noneOf } from "../../../components/observability/model-namespaces";
import { modelNamespaceName, PLATFORM_NAMESPACES } from "../../../names/namespaces";

/** Prometheus matches the whole of a label. */
const whole = (pattern: string) => new RegExp(`^(?:${pattern})$`);

describe("the pattern of the namespaces of models", () => {
  it("matches that of each model, and none of the platform's or of another's", () => {
    const pattern = whole(MODEL_NAMESPACES);
    for (const model of ["chat", "s", "st", "stor", "stores", "store-2", "controls", "c", "1"]) {
      expect(modelNamespaceName(model)).toMatch(pattern);
    }
    for (const namespace of [...PLATFORM_NAMESPACES, "default", "a-model-chat"]) {
      expect(namespace).not.toMatch(pattern);
    }
  });

  it("is without what RE2 does not know", () => {
    expect(MODEL_NAMESPACES).toMatch(/^model-(?:\(\?:|[a-z^[\]|.*)+])*$/);
  });
});

describe("a pattern of all texts but some words", () => {
  it("matches each other one", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "-"), maxLength: 4 });
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), word, (words, text) => {
        expect(whole(noneOf(words)).test(text)).toBe(!words.includes(text));
      }),
    );
  });
});
