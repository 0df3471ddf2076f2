import { describe, expect, it } from "vitest";
import { isVisible, visible, visibleLines } from "../../names/visible";

const UNSEEN = [
  ...[0x00, 0x1b, 0x7f, 0x85, 0x9b, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180e, 0x200b, 0x200d, 0x2028, 0x2029],
  ...[
    0x202e, 0x2060, 0x2066, 0x206a, 0x3164, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xd800, 0xdfff, 0xe0001, 0xe0041, 0xe0100,
  ],
];

describe("text of strangers", () => {
  it.each(UNSEEN)("has the unseen U+%i written out", (code) => {
    const text = `a${String.fromCodePoint(code)}b`;
    const shown = visible(text);
    expect([isVisible(text), isVisible(shown), visibleLines(text)]).toEqual([false, true, shown]);
    expect(
      JSON.parse(`"${shown.replace(/\\u\{(\w+)\}/, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))}"`),
    ).toBe(text);
  });

  it("keeps letters, marks and signs of every script", () => {
    for (const text of ["Grüße, e\u0301", "模型 · 모델", "नमूना", "\u{1f600} ✓ ≤ │ ▇"]) {
      expect(visible(text)).toBe(text);
    }
  });

  it("keeps its lines and columns where they are asked for", () => {
    expect([visible("a\n\tb"), visibleLines("a\n\tb")]).toEqual(["a\\u000a\\u0009b", "a\n\tb"]);
  });
});
