import fc from "fast-check";

/** Any character of Unicode, for texts as hostile as they come. `unit: "binary"` of fast-check first lists them all, which takes a second. */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((codePoint) => String.fromCodePoint(codePoint));
