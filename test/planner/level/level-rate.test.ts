import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { levelRate, tokenTimeOf } from "../../../planner/level/level-rate";
import type { ReplicaSpeed } from "../../../planner/level/replica-speed";
import type { ServiceLevel } from "../../../planner/service-level";
import type { SpeedBasis } from "../../../planner/speed/margin";
import { setups, shapes } from "../speed/arbitraries";

const BASES: readonly SpeedBasis[] = ["own", "same-card-and-engine", "same-card", "unseen-card"];

/** The search of the closed form ends within half a percent. */
const NOISE = 1.02;

const speeds = (): fc.Arbitrary<ReplicaSpeed> =>
  fc.record({ setup: setups(), basis: fc.constantFrom(...BASES), shape: shapes() });

const levels = (): fc.Arbitrary<ServiceLevel> =>
  fc.record({
    ttftMs: fc.integer({ min: 50, max: 30_000 }),
    tpotMs: fc.integer({ min: 2, max: 300 }),
    percentile: fc.constantFrom(50, 90, 95, 99),
    confidence: fc.constantFrom(0.5, 0.8, 0.95),
  });

describe("levelRate", () => {
  it("decides on the worse edge: never more than the prediction itself, and nothing where a floor is missed", () => {
    fc.assert(
      fc.property(speeds(), levels(), (speed, level) => {
        const { requestsPerSecond, expected, floor, missed } = levelRate(speed, level);
        expect(requestsPerSecond).toBeLessThanOrEqual(expected * NOISE);
        expect(floor.tpotMs.worse).toBeGreaterThanOrEqual(floor.tpotMs.expected);
        expect(floor.ttftMs.worse).toBeGreaterThanOrEqual(floor.ttftMs.expected);
        expect(missed).toEqual([
          ...(floor.ttftMs.worse > (level.ttftMs ?? 0) ? ["ttftMs"] : []),
          ...(floor.tpotMs.worse > (level.tpotMs ?? 0) ? ["tpotMs"] : []),
        ]);
        if (missed.length > 0) {
          expect(requestsPerSecond).toBe(0);
        }
      }),
    );
  });

  it("answers no more the surer it must be, and no fewer where only half of the requests must keep to the times", () => {
    fc.assert(
      fc.property(speeds(), levels(), (speed, level) => {
        const at = (change: Partial<ServiceLevel>) => levelRate(speed, { ...level, ...change }).requestsPerSecond;
        expect(at({ confidence: 0.95 })).toBeLessThanOrEqual(at({ confidence: 0.5 }) * NOISE);
        expect(at({ percentile: 99 })).toBeLessThanOrEqual(at({ percentile: 50 }) * NOISE);
      }),
    );
  });

  it("answers no fewer within longer times, and most where none are asked for", () => {
    fc.assert(
      fc.property(speeds(), levels(), fc.double({ min: 1, max: 10, noNaN: true }), (speed, level, factor) => {
        const { ttftMs = 1, tpotMs = 1, ...rest } = level;
        const strict = levelRate(speed, level).requestsPerSecond;
        const mild = levelRate(speed, { ...rest, ttftMs: ttftMs * factor, tpotMs: tpotMs * factor }).requestsPerSecond;
        expect(strict).toBeLessThanOrEqual(mild * NOISE);
        expect(mild).toBeLessThanOrEqual(levelRate(speed, rest).requestsPerSecond * NOISE);
      }),
    );
  });

  it("has the widest error on cards that nobody measured", () => {
    fc.assert(
      fc.property(setups(), shapes(), levels(), (setup, shape, level) => {
        const floors = BASES.map((basis) => levelRate({ setup, shape, basis }, level).floor.tpotMs.worse);
        expect(floors).toEqual([...floors].sort((a, b) => a - b));
      }),
    );
  });

  it("reads tokens a second as the time of one: the stricter of the two counts", () => {
    expect(tokenTimeOf({})).toBeUndefined();
    expect(tokenTimeOf({ tpotMs: 40 })).toBe(40);
    expect(tokenTimeOf({ tokensPerSecond: 20 })).toBe(50);
    expect(tokenTimeOf({ tpotMs: 40, tokensPerSecond: 20 })).toBe(40);
    expect(tokenTimeOf({ tpotMs: 60, tokensPerSecond: 20 })).toBe(50);
    fc.assert(
      fc.property(speeds(), fc.integer({ min: 1, max: 200 }), (speed, tokensPerSecond) => {
        const { requestsPerSecond } = levelRate(speed, { tokensPerSecond });
        expect(requestsPerSecond).toBe(levelRate(speed, { tpotMs: 1000 / tokensPerSecond }).requestsPerSecond);
      }),
      { numRuns: 20 },
    );
  });

  it("counts the long prompts of those who come with them to the first token", () => {
    fc.assert(
      fc.property(speeds(), ({ setup, basis, shape }) => {
        const floorAt = (lengthVariation: number, percentile: 50 | 99) =>
          levelRate({ setup, basis, shape: { ...shape, lengthVariation } }, { percentile }).floor.ttftMs.expected;
        expect(floorAt(1, 99)).toBeGreaterThan(floorAt(0, 99) * 0.999);
        expect(floorAt(1, 99)).toBeGreaterThanOrEqual(floorAt(1, 50));
      }),
    );
  });
});
