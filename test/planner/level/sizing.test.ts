import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  busyReplica,
  concurrencyOf,
  isSized,
  mostConcurrency,
  type Sizing,
  sizingOf,
  withReplicas,
} from "../../../planner/level/sizing";
import type { ModelRequest } from "../../../planner/request";
import { SCALED_BY_DEFAULT } from "../../../planner/scaling";
import { CHAT_TRAFFIC, modelOf } from "../fixtures";
import { setups, shapes } from "../speed/arbitraries";

const LEVEL = { ttftMs: 20_000, tpotMs: 200, confidence: 0.8 } as const;
const chat = (changes: Partial<ModelRequest> = {}) =>
  modelOf("qwen2.5-7b-instruct", { traffic: CHAT_TRAFFIC, serviceLevel: LEVEL, ...changes });

const sizing = (needed: number, sequences = 1): Sizing => ({
  needed,
  rate: {
    requestsPerSecond: 1,
    expected: 1,
    sequences,
    mostSequences: sequences,
    limitedBy: "weights",
    floor: { ttftMs: { expected: 1, worse: 1 }, tpotMs: { expected: 1, worse: 1 } },
    missed: [],
  },
});

describe("sizingOf", () => {
  it("takes the fewest replicas that answer the peak", () => {
    fc.assert(
      fc.property(
        setups(),
        shapes(),
        fc.double({ min: 0.001, max: 500, noNaN: true }),
        fc.double({ min: 1, max: 5, noNaN: true }),
        (setup, shape, requestsPerSecond, peakFactor) => {
          const model = chat({ traffic: { ...CHAT_TRAFFIC, ...shape, requestsPerSecond, peakFactor } });
          const { rate, needed } = sizingOf(model, { setup, shape, basis: "same-card" });
          const peak = requestsPerSecond * peakFactor;
          if (rate.requestsPerSecond === 0) {
            expect(needed).toBe(Number.POSITIVE_INFINITY);
            return;
          }
          expect(needed * rate.requestsPerSecond).toBeGreaterThanOrEqual(peak * (1 - 1e-6));
          expect(needed === 1 || (needed - 1) * rate.requestsPerSecond < peak).toBe(true);
        },
      ),
    );
  });

  it("takes no fewer for more requests, and what a simulation took away counts", () => {
    fc.assert(
      fc.property(setups(), shapes(), fc.double({ min: 1, max: 20, noNaN: true }), (setup, shape, factor) => {
        const speed = { setup, shape, basis: "same-card" } as const;
        const more = { ...CHAT_TRAFFIC, requestsPerSecond: CHAT_TRAFFIC.requestsPerSecond * factor };
        const { needed } = sizingOf(chat(), speed);
        expect(sizingOf(chat({ traffic: more }), speed).needed).toBeGreaterThanOrEqual(needed);
        expect(sizingOf(chat({ confirmedShare: 1 / factor }), speed).needed).toBeGreaterThanOrEqual(needed);
      }),
    );
  });

  it("holds one request alone to a level without traffic", () => {
    const { traffic: _, ...still } = chat();
    fc.assert(
      fc.property(setups(), shapes(), (setup, shape) => {
        const { rate, needed } = sizingOf(still, { setup, shape, basis: "same-card" });
        expect(needed).toBe(rate.requestsPerSecond > 0 ? 1 : Number.POSITIVE_INFINITY);
      }),
    );
  });

  it("is asked where there is traffic, or a time", () => {
    expect(isSized({})).toBe(false);
    expect(isSized({ serviceLevel: { availability: 0.99 } })).toBe(false);
    expect(isSized({ serviceLevel: { tokensPerSecond: 20 } })).toBe(true);
    expect(isSized({ traffic: CHAT_TRAFFIC })).toBe(true);
  });
});

describe("withReplicas", () => {
  const scaled = chat({ derived: ["replicas"], minReplicas: 1, maxReplicas: 1, scaling: SCALED_BY_DEFAULT });

  it("plans what traffic needs, and one that may fail where availability is promised", () => {
    expect(withReplicas(scaled, sizing(3))).toMatchObject({ minReplicas: 3, maxReplicas: 3 });
    expect(withReplicas(scaled, sizing(3))).not.toHaveProperty("scaling");
    const available = { ...scaled, serviceLevel: { ...LEVEL, availability: 0.999 } };
    expect(withReplicas(available, sizing(3))).toMatchObject({ minReplicas: 4, maxReplicas: 4 });
  });

  it("leaves replicas that the file says, and models that nobody sized", () => {
    const said = chat({ minReplicas: 2, maxReplicas: 5 });
    expect(withReplicas(said, sizing(9))).toBe(said);
    expect(withReplicas(scaled, undefined)).toBe(scaled);
  });

  it("never plans more than a thousand", () => {
    expect(withReplicas(scaled, sizing(Number.POSITIVE_INFINITY)).maxReplicas).toBe(1000);
  });
});

describe("a busy replica", () => {
  it("runs what runs at its level, less what a simulation took away", () => {
    expect(busyReplica(chat(), sizing(1, 40.4))?.atOnce).toBe(40);
    expect(busyReplica(chat({ confirmedShare: 0.5 }), sizing(1, 40.4))?.atOnce).toBe(20);
    expect(busyReplica(chat(), sizing(1, 0.2))?.atOnce).toBe(1);
  });

  it("lets as many wait as start within half the time to the first token, a quarter of those that run at most", () => {
    const waiting = (ttftMs?: number) =>
      busyReplica(chat({ serviceLevel: ttftMs === undefined ? {} : { ttftMs } }), sizing(1, 40))?.waiting;
    // At one request a second.
    expect([waiting(500), waiting(8000), waiting(1e6), waiting()]).toEqual([1, 4, 10, 10]);
  });

  it("is nobody's without traffic or speed", () => {
    const { traffic: _, ...still } = chat();
    expect([busyReplica(still, sizing(1)), busyReplica(chat(), undefined)]).toEqual([undefined, undefined]);
  });
});

describe("the concurrency of a replica", () => {
  it("is what runs at its level, in whole requests, at least one and no more than fit", () => {
    expect(concurrencyOf(sizing(1, 0.3), 64)).toBe(1);
    expect(concurrencyOf(sizing(1, 17.2), 64)).toBe(18);
    expect(concurrencyOf(sizing(1, 170), 64)).toBe(64);
    expect(concurrencyOf(sizing(1, 1e9), 1e9)).toBe(4096);
  });

  it("is found within a thirty-second of the most that fits", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4096 }), (most) => {
        const found = mostConcurrency((each) => each <= most) ?? 0;
        expect(found).toBeLessThanOrEqual(most);
        expect(found).toBeGreaterThanOrEqual(most - Math.max(1, most / 32));
      }),
    );
    expect(mostConcurrency(() => false)).toBeUndefined();
  });
});
