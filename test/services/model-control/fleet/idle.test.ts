import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type IdleTime,
  idleTimes,
  isDue,
  leaveOf,
  STAYS,
  shortestIdleSeconds,
} from "../../../../services/model-control/src/fleet/idle";
import type { HeldModel } from "../../../../services/model-control/src/fleet/inventory";

const NOON = new Date("2026-11-24T12:00:00Z");
const idle: HeldModel = { name: "m:1", loaded: true, lastUsed: NOON, pinned: false };
const at = (seconds: number) => new Date(NOON.getTime() + seconds * 1000);

const idleTime: fc.Arbitrary<IdleTime> = fc.oneof(fc.integer({ min: 1, max: 604_800 }), fc.constant("never" as const));
const held = fc.record(
  {
    name: fc.constant("m:1"),
    loaded: fc.boolean(),
    lastUsed: fc.integer({ min: -1000, max: 1000 }).map(at),
    pinned: fc.boolean(),
    canUnload: fc.boolean(),
    inUse: fc.boolean(),
    expiresAt: fc.integer({ min: -1000, max: 1000 }).map(at),
  },
  { requiredKeys: ["name", "loaded", "lastUsed", "pinned"] },
);

describe("a loaded model", () => {
  test("leaves its time after its last use", () => {
    expect(leaveOf(idle, 600)).toEqual({ unloadsAt: at(600) });
    expect([at(599), at(600)].map((now) => isDue(idle, 600, now))).toEqual([false, true]);
  });

  test("stays for the first reason that holds", () => {
    const all: HeldModel = { ...idle, pinned: true, canUnload: false, inUse: true };
    expect(leaveOf(all, "never")).toEqual({ stays: "pinned" });
    expect(leaveOf({ ...all, pinned: false }, "never")).toEqual({ stays: "never" });
    expect(leaveOf({ ...all, pinned: false }, 60)).toEqual({ stays: "not_supported" });
    expect(leaveOf({ ...idle, inUse: true }, 60)).toEqual({ stays: "in_use" });
  });

  test("leaves when its engine lets it go, where that is earlier, or it would else stay", () => {
    expect(leaveOf({ ...idle, expiresAt: at(300) }, 600)).toEqual({ unloadsAt: at(300) });
    expect(leaveOf({ ...idle, expiresAt: at(900) }, 600)).toEqual({ unloadsAt: at(600) });
    expect(leaveOf({ ...idle, expiresAt: at(300) }, "never")).toEqual({ unloadsAt: at(300) });
    expect(leaveOf({ ...idle, pinned: true, expiresAt: at(300) }, 60)).toEqual({ unloadsAt: at(300) });
    // A time that has passed is of an earlier use: what runs now keeps it.
    expect(leaveOf({ ...idle, expiresAt: at(-1) }, "never")).toEqual({ stays: "never" });
  });

  test("is due only when it was said to leave by then, and nothing keeps it", () => {
    fc.assert(
      fc.property(held, idleTime, fc.integer({ min: 0, max: 700_000 }), (model, time, seconds) => {
        if (!isDue(model, time, at(seconds))) {
          return;
        }
        const { loaded, pinned, canUnload = true, inUse = false } = model;
        expect({ loaded, pinned, canUnload, inUse }).toEqual({
          loaded: true,
          pinned: false,
          canUnload: true,
          inUse: false,
        });
        const leave = leaveOf(model, time);
        expect("unloadsAt" in leave && leave.unloadsAt <= at(seconds)).toBe(true);
      }),
    );
  });

  test("has a time or a reason, whatever its engine tells", () => {
    fc.assert(
      fc.property(held, idleTime, (model, time) => {
        const leave = leaveOf(model, time);
        expect("stays" in leave ? STAYS.includes(leave.stays) : leave.unloadsAt > model.lastUsed).toBe(true);
      }),
    );
  });
});

test("a model's own time counts, in whatever spelling the engine has; else that of all", () => {
  const rules = { seconds: 900, models: { "HF.co/A/b:Q4": 60, "kept:1": "never" } } as const;
  const timeOf = idleTimes(rules, { nameOf: (model) => model.toLowerCase() });
  expect(["hf.co/a/b:q4", "kept:1", "other:1"].map(timeOf)).toEqual([60, "never", 900]);
  expect(idleTimes(undefined, { nameOf: (model) => model })("any:1")).toBe("never");
});

test("the shortest of all times", () => {
  expect(shortestIdleSeconds({ seconds: "never", models: {} })).toBeUndefined();
  expect(shortestIdleSeconds({ seconds: 900, models: { a: "never", b: 60 } })).toBe(60);
  expect(shortestIdleSeconds({ seconds: "never", models: { a: "never", b: 5 } })).toBe(5);
});
