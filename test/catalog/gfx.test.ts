import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gfxOfOverride, gfxOfVersionNumber, gfxVersionNumber } from "../../catalog/gfx";

// The kernel's own pairs (Linux, drivers/gpu/drm/amd/amdkfd/kfd_device.c).
const KNOWN: readonly (readonly [string, number])[] = [
  ["gfx906", 90_006],
  ["gfx908", 90_008],
  ["gfx90a", 90_010],
  ["gfx942", 90_402],
  ["gfx1030", 100_300],
  ["gfx1100", 110_000],
  ["gfx1201", 120_001],
];

describe("compiler targets of AMD", () => {
  it.each(KNOWN)("%s is %i to the kernel", (target, version) => {
    expect(gfxVersionNumber(target)).toBe(version);
    expect(gfxOfVersionNumber(version)).toBe(target);
  });

  it("are the same in all three forms", () => {
    const part = fc.nat({ max: 15 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99 }), part, part, (major, minor, stepping) => {
        const target = gfxOfOverride(`${major}.${minor}.${stepping}`);
        expect(target).toBe(gfxOfVersionNumber(gfxVersionNumber(target ?? "")));
      }),
    );
  });

  it("are told from what is none", () => {
    expect(gfxOfVersionNumber(0)).toBeUndefined();
    expect(gfxOfVersionNumber(Number.NaN)).toBeUndefined();
    expect(gfxOfVersionNumber(91_700)).toBeUndefined();
    expect(gfxOfOverride("10.3")).toBeUndefined();
    expect(gfxOfOverride("gfx1030")).toBeUndefined();
    expect(() => gfxVersionNumber("1030")).toThrow('"1030" is no compiler target of AMD');
  });
});
