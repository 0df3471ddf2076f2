import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ArrivingRequests, type BatchCosts, simulate } from "../../../planner/speed/simulation";
import { atNight } from "../../harness/property-runs";

/** A step grows with sequences and their length, a prompt with its tokens. */
const ENGINE: BatchCosts = {
  stepMs: (sequences, context) => 10 + 0.05 * sequences + 1e-5 * sequences * context,
  prefillMs: (tokens, alreadyRead) => 2 + 0.05 * tokens + 1e-6 * tokens * alreadyRead,
  overlapWait: 0.7,
  kvTokens: 200_000,
  maxSequences: 256,
  chunkTokens: 2048,
};
const CHAT: ArrivingRequests = {
  requestsPerSecond: 1,
  inputTokens: 1000,
  outputTokens: 200,
  sharedPrefixTokens: 0,
  lengthVariation: 0.5,
};

describe("simulate", () => {
  it("is the same run for the same question", () => {
    expect(simulate(ENGINE, CHAT)).toEqual(simulate(ENGINE, CHAT));
    expect(simulate(ENGINE, CHAT, 1)).not.toEqual(simulate(ENGINE, CHAT, 2));
  });

  it("gives a request that is alone what its own steps take", () => {
    const alone = simulate(ENGINE, { ...CHAT, requestsPerSecond: 0.001, lengthVariation: 0 });
    expect(alone.ttftMs.p99).toBeCloseTo(2 + 0.05 * 1000, 6);
    expect(alone.tpotMs?.mean).toBeCloseTo(10.05 + 1e-5 * (1000 + 100), 3);
    expect(alone).toMatchObject({ saturated: false });
  });

  // One token each and no batch: a queue with one server, Poisson arrivals and a fixed time, whose mean wait is known
  // (Pollaczek and Khinchine): ρ S / 2 (1 − ρ).
  it.each([0.3, 0.5, 0.7])("agrees with the M/D/1 queue at a load of %f", (load) => {
    const serviceMs = 100;
    const single = { ...ENGINE, prefillMs: () => serviceMs, stepMs: () => 1, maxSequences: 1 };
    const runs = Array.from({ length: 12 }, (_, seed) =>
      simulate(
        single,
        { ...CHAT, requestsPerSecond: (load * 1000) / serviceMs, outputTokens: 1, lengthVariation: 0 },
        seed,
      ),
    );
    const wait = runs.reduce((sum, { ttftMs }) => sum + ttftMs.mean, 0) / runs.length - serviceMs;
    const known = (load * serviceMs) / (2 * (1 - load));
    expect(wait / known).toBeGreaterThan(0.85);
    expect(wait / known).toBeLessThan(1.15);
  });

  it("keeps Little's law, and answers what arrives while it keeps up", () => {
    const { inFlight, requestsPerSecond, ttftMs, tpotMs } = simulate(ENGINE, { ...CHAT, lengthVariation: 0 });
    const seconds = (ttftMs.mean + (tpotMs?.mean ?? 0) * 199) / 1000;
    expect(inFlight / (requestsPerSecond * seconds)).toBeCloseTo(1, 1);
    expect(requestsPerSecond).toBeGreaterThan(0.93);
    expect(requestsPerSecond).toBeLessThan(1.07);
  });

  it("says saturated where more arrives than can be answered, ends all the same, and else does not", () => {
    expect(simulate(ENGINE, { ...CHAT, requestsPerSecond: 100 })).toMatchObject({ saturated: true });
    expect(simulate({ ...ENGINE, kvTokens: 3000 }, { ...CHAT, requestsPerSecond: 5 })).toMatchObject({
      saturated: true,
    });
    expect(simulate(ENGINE, { ...CHAT, requestsPerSecond: 5 })).toMatchObject({ saturated: false });
  });

  it("answers alone what has no room beside the shared prefix, and does not wait for it for ever", () => {
    const shared = { ...CHAT, sharedPrefixTokens: 3000 };
    const { mostOfCache, requestsPerSecond } = simulate({ ...ENGINE, kvTokens: 3000 }, shared);
    expect(mostOfCache).toBeGreaterThan(1);
    expect(requestsPerSecond).toBeGreaterThan(0);
  });

  it("reads no prefix again that others share", () => {
    const whole = simulate(ENGINE, CHAT);
    const shared = simulate(ENGINE, { ...CHAT, sharedPrefixTokens: 800 });
    expect(shared.ttftMs.mean).toBeLessThan(whole.ttftMs.mean / 2);
    expect(shared.mostOfCache).toBeLessThan(whole.mostOfCache);
  });

  const cases = fc.record({
    requestsPerSecond: fc.double({ min: 0.05, max: 20, noNaN: true }),
    inputTokens: fc.integer({ min: 1, max: 8000 }),
    outputTokens: fc.integer({ min: 1, max: 500 }),
    sharedPrefixTokens: fc.constant(0),
    lengthVariation: fc.double({ min: 0, max: 1.5, noNaN: true }),
  });

  it("answers every request within the cache, in finite times that are in order", () => {
    fc.assert(
      fc.property(cases, fc.integer({ min: 500, max: 100_000 }), (requests, kvTokens) => {
        const run = simulate({ ...ENGINE, kvTokens }, requests);
        expect(run.mostOfCache).toBeLessThanOrEqual(1);
        for (const { mean, p50, p90, p95, p99 } of [run.ttftMs, ...(run.tpotMs ? [run.tpotMs] : [])]) {
          expect(Number.isFinite(mean)).toBe(true);
          expect(p50 > 0 && p50 <= p90 && p90 <= p95 && p95 <= p99).toBe(true);
        }
      }),
      { numRuns: atNight(40) },
    );
  });

  it("lets nobody wait less when twice as much arrives", () => {
    fc.assert(
      fc.property(cases, (requests) => {
        const calm = simulate(ENGINE, requests);
        const busy = simulate(ENGINE, { ...requests, requestsPerSecond: 2 * requests.requestsPerSecond });
        // A run of some thousand requests is random: a part in fifty is its noise.
        expect(busy.ttftMs.mean).toBeGreaterThanOrEqual(0.98 * calm.ttftMs.mean);
        expect(busy.tpotMs?.mean ?? 1).toBeGreaterThanOrEqual(0.98 * (calm.tpotMs?.mean ?? 1));
      }),
      { numRuns: atNight(40) },
    );
  });
});
