import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { atRate, capacity, closedLoop } from "../../../planner/speed/load";
import { prefillMs } from "../../../planner/speed/prefill";
import { stepMs } from "../../../planner/speed/step";
import type { ReplicaSetup } from "../../../planner/speed/types";
import { atNight } from "../../harness/property-runs";
import { setups, shapes } from "./arbitraries";

const level = { tpotMs: 60, ttftMs: 4000, percentile: 90 };

/** Prompts, answers and sequences beside which half a percent of the search does not show. */
const NOISE = 1.04;

describe("the closed form", () => {
  it("lets more load never lower a latency", () => {
    fc.assert(
      fc.property(
        setups(),
        shapes(),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 0, max: 400 }),
        (setup, shape, few, more) => {
          const [light, heavy] = [closedLoop(setup, shape, few), closedLoop(setup, shape, few + more)];
          expect(heavy.tpotMs).toBeGreaterThanOrEqual(light.tpotMs * (1 - 1e-6));
          expect(heavy.tokensPerSecond).toBeGreaterThanOrEqual(light.tokensPerSecond * (1 - 1e-6));
        },
      ),
    );
  });

  it("lets a higher rate never lower a latency", () => {
    fc.assert(
      fc.property(
        setups(),
        shapes(),
        fc.double({ min: 0.01, max: 20, noNaN: true }),
        fc.double({ min: 1, max: 5, noNaN: true }),
        (setup, shape, rate, factor) => {
          const [slow, fast] = [atRate(setup, shape, rate), atRate(setup, shape, rate * factor)];
          expect(fast.tpotMs.mean * NOISE).toBeGreaterThanOrEqual(slow.tpotMs.mean);
          expect(fast.ttftMs.p99 * NOISE).toBeGreaterThanOrEqual(slow.ttftMs.p99);
          expect(fast.stable && !slow.stable).toBe(false);
          expect(fast.tpotMs.p99).toBeGreaterThanOrEqual(fast.tpotMs.mean);
        },
      ),
    );
  });

  it("lets faster memory never slow a step, a prompt or a level", () => {
    fc.assert(
      fc.property(setups(), shapes(), fc.double({ min: 1, max: 4, noNaN: true }), (setup, shape, factor) => {
        const faster: ReplicaSetup = { ...setup, card: { ...setup.card, memoryGBs: setup.card.memoryGBs * factor } };
        const load = { sequences: 32, contextTokens: shape.inputTokens };
        expect(stepMs(faster, load).totalMs).toBeLessThanOrEqual(stepMs(setup, load).totalMs * (1 + 1e-9));
        expect(prefillMs(faster, shape.inputTokens)).toBeLessThanOrEqual(
          prefillMs(setup, shape.inputTokens) * (1 + 1e-9),
        );
        expect(capacity(faster, shape, level).requestsPerSecond * NOISE).toBeGreaterThanOrEqual(
          capacity(setup, shape, level).requestsPerSecond,
        );
      }),
      // Pipelines whose prompts queue are rare among them.
      { numRuns: atNight(2000) },
    );
  });

  it("lets a stricter level never allow more requests", () => {
    fc.assert(
      fc.property(setups(), shapes(), fc.double({ min: 0.1, max: 1, noNaN: true }), (setup, shape, factor) => {
        const strict = { ...level, tpotMs: level.tpotMs * factor };
        expect(capacity(setup, shape, strict).requestsPerSecond).toBeLessThanOrEqual(
          capacity(setup, shape, level).requestsPerSecond * NOISE,
        );
      }),
    );
  });

  it("holds twice the requests, and answers no fewer, with twice the cache", () => {
    fc.assert(
      fc.property(setups(), shapes(), (setup, shape) => {
        const twice = { ...setup, kvTokens: setup.kvTokens * 2 };
        expect(capacity(twice, shape, level).requestsPerSecond * NOISE).toBeGreaterThanOrEqual(
          capacity(setup, shape, level).requestsPerSecond,
        );
      }),
    );
  });

  it("keeps to the level that it answers for", () => {
    fc.assert(
      fc.property(setups(), shapes(), (setup, shape) => {
        const { requestsPerSecond, sequences } = capacity(setup, shape, level);
        if (requestsPerSecond > 0) {
          expect(closedLoop(setup, shape, sequences).tpotMs).toBeLessThanOrEqual(level.tpotMs);
        }
      }),
    );
  });

  it("counts tokens, requests and seconds in one way", () => {
    fc.assert(
      fc.property(setups(), shapes(), fc.integer({ min: 1, max: 300 }), (setup, shape, inFlight) => {
        const { tokensPerSecond, requestsPerSecond, sequences, tpotMs } = closedLoop(setup, shape, inFlight);
        expect(tokensPerSecond).toBeCloseTo(requestsPerSecond * shape.outputTokens, 6);
        // Each running sequence makes at most one token in the time that one takes.
        expect(tokensPerSecond).toBeLessThanOrEqual((1e3 * sequences) / tpotMs / 0.99);
      }),
    );
  });

  it("lets a first token wait for each step that is scheduled already, and a request alone for none", () => {
    fc.assert(
      fc.property(setups(), shapes(), fc.integer({ min: 2, max: 64 }), (setup, shape, inFlight) => {
        const ttftMs = (stepsAhead: number, requests: number) =>
          closedLoop({ ...setup, coefficients: { ...setup.coefficients, stepsAhead } }, shape, requests).ttftMs;
        expect(ttftMs(1, 1)).toBe(ttftMs(0, 1));
        const { sequences, tpotMs } = closedLoop(setup, shape, inFlight);
        const step = ttftMs(1, inFlight) - ttftMs(0, inFlight);
        expect(step).toBeGreaterThanOrEqual(sequences > 1 ? tpotMs * (1 - 1e-6) : 0);
      }),
    );
  });

  it("adds to every first token what the engine does for a request", () => {
    fc.assert(
      fc.property(setups(), shapes(), fc.integer({ min: 1, max: 64 }), (setup, shape, inFlight) => {
        const later: ReplicaSetup = {
          ...setup,
          coefficients: { ...setup.coefficients, requestMs: setup.coefficients.requestMs + 10 },
        };
        expect(closedLoop(later, shape, inFlight).ttftMs - closedLoop(setup, shape, inFlight).ttftMs).toBeCloseTo(
          10,
          6,
        );
        expect(capacity(later, shape, level).floor.ttftMs - capacity(setup, shape, level).floor.ttftMs).toBeCloseTo(
          10,
          6,
        );
      }),
    );
  });

  it("says what is full where the cache limits", () => {
    fc.assert(
      fc.property(setups(), shapes(), (setup, shape) => {
        const tight = { ...setup, kvTokens: 2 * (shape.inputTokens + shape.outputTokens), maxNumSeqs: 4096 };
        const answer = closedLoop(tight, shape, 500);
        expect(answer.saturated).toBe(true);
        expect(answer.limitedBy).toBe("kv-capacity");
        expect(closedLoop({ ...setup, maxNumSeqs: 1 }, shape, 2).limitedBy).toMatch(/max-num-seqs|kv-capacity/);
      }),
    );
  });
});
