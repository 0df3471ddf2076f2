import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type About, Sealer, Unsealable } from "../../../../services/model-control/src/inference/sealing";

const key = (id: string, byte: number) => ({ id, secret: Buffer.alloc(32, byte) });
const FIRST = key("first", 1);
const SECOND = key("second", 2);
const sealer = (...keys: (typeof FIRST)[]) => new Sealer({ keys: () => keys });
const ABOUT: About = { task: "inference-1", index: 0, what: "prompt" };

describe("what is sealed", () => {
  it("opens as it was, holds nothing of the text, and is never twice the same", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 0, maxLength: 200 }), (text) => {
        const one = sealer(FIRST).seal(text, ABOUT);
        expect(sealer(FIRST).open(one, ABOUT)).toBe(Buffer.from(text).toString());
        expect(sealer(FIRST).seal(text, ABOUT).equals(one)).toBe(false);
        // Shorter ones may be in random bytes by chance.
        expect(Buffer.byteLength(text) >= 6 && one.includes(text)).toBe(false);
      }),
    );
  });

  it("opens in its own place only", () => {
    const sealed = sealer(FIRST).seal("secret", ABOUT);
    const places: readonly Partial<About>[] = [{ task: "inference-2" }, { index: 1 }, { what: "answer" }];
    for (const place of places) {
      expect(() => sealer(FIRST).open(sealed, { ...ABOUT, ...place })).toThrow(Unsealable);
    }
  });

  it("does not open when a single bit of it is another, or when it is cut short", () => {
    const sealed = sealer(FIRST).seal("secret", ABOUT);
    fc.assert(
      fc.property(fc.nat(sealed.length * 8 - 1), (bit) => {
        const forged = Buffer.from(sealed);
        forged.writeUInt8(forged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        expect(() => sealer(FIRST).open(forged, ABOUT)).toThrow(Unsealable);
      }),
    );
    for (let length = 0; length < sealed.length; length++) {
      expect(() => sealer(FIRST).open(sealed.subarray(0, length), ABOUT)).toThrow(Unsealable);
    }
  });

  it("opens with any key of the file, is sealed with the first one, and says so when its key is gone", () => {
    const old = sealer(FIRST).seal("secret", ABOUT);
    const rotated = sealer(SECOND, FIRST);
    expect(rotated.open(old, ABOUT)).toBe("secret");
    const young = rotated.seal("secret", ABOUT);
    expect(sealer(SECOND).open(young, ABOUT)).toBe("secret");
    expect(() => sealer(SECOND).open(old, ABOUT)).toThrow(/not in the key file/);
    // Another key under the same name is another key.
    expect(() => sealer({ ...SECOND, id: "first" }).open(old, ABOUT)).toThrow(Unsealable);
    expect(() => sealer().seal("x", ABOUT)).toThrow("without a key");
  });
});

describe("marks", () => {
  it("are one for each key, the current one's first, the same for the same text, and say nothing of it", () => {
    const [now, before] = sealer(SECOND, FIRST).marks("order-66");
    expect([now]).toEqual(sealer(SECOND).marks("order-66"));
    expect([before]).toEqual(sealer(FIRST).marks("order-66"));
    expect(now).not.toBe(before);
    expect(sealer(SECOND).marks("order-67")[0]).not.toBe(now);
    expect(now).toMatch(/^[\w-]{43}$/);
  });
});
