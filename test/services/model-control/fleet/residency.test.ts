import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  chooseLeavers,
  evictableBytes,
  type Resident,
  sumBytes,
} from "../../../../services/model-control/src/fleet/residency";

const residents = fc.uniqueArray(
  fc.record({
    model: fc.string({ minLength: 1, maxLength: 8 }),
    bytes: fc.integer({ min: 1, max: 100 }),
    lastUsed: fc.option(fc.date({ min: new Date(0), max: new Date(1e12), noInvalidDate: true }), { nil: undefined }),
    stays: fc.boolean(),
  }),
  { selector: ({ model }) => model, maxLength: 12 },
);
const bytes = fc.integer({ min: -10, max: 600 });

describe("chooseLeavers", () => {
  test("frees enough, or says that nothing can", () => {
    fc.assert(
      fc.property(residents, bytes, (all, needed) => {
        const leavers = chooseLeavers(all, needed);
        if (leavers === undefined) {
          expect(evictableBytes(all)).toBeLessThan(needed);
        } else {
          expect(sumBytes(leavers)).toBeGreaterThanOrEqual(Math.max(0, needed));
        }
      }),
    );
  });

  test("never sends away what stays, and no one twice", () => {
    fc.assert(
      fc.property(residents, bytes, (all, needed) => {
        const leavers = chooseLeavers(all, needed) ?? [];
        expect(leavers.filter(({ stays }) => stays)).toEqual([]);
        expect(new Set(leavers).size).toBe(leavers.length);
      }),
    );
  });

  test("sends away no one in vain", () => {
    fc.assert(
      fc.property(residents, bytes, (all, needed) => {
        const leavers = chooseLeavers(all, needed) ?? [];
        for (const leaver of leavers) {
          expect(sumBytes(leavers) - leaver.bytes).toBeLessThan(needed);
        }
      }),
    );
  });

  test("prefers the least recently used among models of the same size", () => {
    fc.assert(
      fc.property(residents, bytes, (all, needed) => {
        const same = all.map((resident) => ({ ...resident, bytes: 10 }));
        const leavers = chooseLeavers(same, needed);
        if (leavers === undefined) {
          return;
        }
        const newest = Math.max(0, ...leavers.map(timeOf));
        const kept = same.filter((resident) => !resident.stays && !leavers.includes(resident));
        for (const resident of kept) {
          expect(timeOf(resident)).toBeGreaterThanOrEqual(newest);
        }
      }),
    );
  });

  test("does not depend on the order of the list", () => {
    fc.assert(
      fc.property(residents, bytes, (all, needed) => {
        expect(names(chooseLeavers([...all].reverse(), needed))).toEqual(names(chooseLeavers(all, needed)));
      }),
    );
  });

  test("lets a smaller model stay when a later one is enough alone", () => {
    const old = { model: "old-small", bytes: 2, lastUsed: new Date(1), stays: false };
    const newer = { model: "large", bytes: 10, lastUsed: new Date(2), stays: false };
    expect(names(chooseLeavers([old, newer], 8))).toEqual(["large"]);
    expect(names(chooseLeavers([old, newer], 12))).toEqual(["old-small", "large"]);
  });

  test("takes a smaller rank first, however recently it was used", () => {
    const idle = { model: "on-disk", bytes: 5, lastUsed: new Date(9), stays: false, rank: 0 };
    const loaded = { model: "loaded", bytes: 5, lastUsed: new Date(1), stays: false, rank: 1 };
    expect(names(chooseLeavers([loaded, idle], 5))).toEqual(["on-disk"]);
  });
});

function timeOf({ lastUsed }: Resident): number {
  return lastUsed?.getTime() ?? 0;
}

function names(leavers: readonly Resident[] | undefined): string[] | undefined {
  return leavers?.map(({ model }) => model);
}
