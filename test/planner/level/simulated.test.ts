import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ReplicaSpeed } from "../../../planner/level/replica-speed";
import { confirmedReplicas, keepsLevel, simulatedAt } from "../../../planner/level/simulated";
import type { ReplicaSetup } from "../../../planner/speed/types";
import { setups, shapes } from "../speed/arbitraries";

/** Runs take hundredths of a second each. */
const FEW = { numRuns: 6 };

/** Without stages, which the simulation does not know. */
const speeds = (): fc.Arbitrary<ReplicaSpeed> =>
  fc
    .record({ setup: setups(), shape: shapes() })
    .map(({ setup, shape }) => ({ setup: { ...setup, pipelineParallel: 1 }, shape, basis: "same-card" }));

const stages = (setup: ReplicaSetup): ReplicaSetup => ({ ...setup, pipelineParallel: 2 });

describe("confirmedReplicas", () => {
  it("leaves replicas that keep the level, and adds as many as it takes", () => {
    fc.assert(
      fc.property(speeds(), fc.double({ min: 0.5, max: 20, noNaN: true }), (speed, peak) => {
        const level = { ttftMs: 60_000, tpotMs: 1000 };
        const confirmed = confirmedReplicas(speed, level, peak, 1);
        const keeps = (count: number) => {
          const run = simulatedAt(speed, peak / count);
          return run !== undefined && keepsLevel(speed, run, level);
        };
        expect(confirmed === 1).toBe(keeps(1));
        // Beyond its steps the search ends where it is: 1 + 2 + 4 + … more.
        expect(keeps(confirmed) || confirmed > 32).toBe(true);
        expect(confirmed === 1 || !keeps(confirmed - 1)).toBe(true);
      }),
      FEW,
    );
  });

  it("takes pipelines as the closed form has them", () => {
    fc.assert(
      fc.property(speeds(), ({ setup, shape, basis }) => {
        const speed = { setup: stages(setup), shape, basis };
        expect(simulatedAt(speed, 1)).toBeUndefined();
        expect(confirmedReplicas(speed, { tpotMs: 0.001 }, 1000, 3)).toBe(3);
      }),
      FEW,
    );
  });

  it("plays the same run for the same question", () => {
    fc.assert(
      fc.property(speeds(), (speed) => {
        expect(simulatedAt({ ...speed }, 2)).toEqual(simulatedAt(speed, 2));
      }),
      FEW,
    );
  });
});

describe("the simulated first token", () => {
  it("comes after the engine's work for a request and the steps that are scheduled already, and changes nothing else", () => {
    fc.assert(
      fc.property(speeds(), (speed) => {
        const run = (requestMs: number, stepsAhead: number) => {
          const coefficients = { ...speed.setup.coefficients, requestMs, stepsAhead };
          return simulatedAt({ ...speed, setup: { ...speed.setup, coefficients } }, 2);
        };
        const [bare, later, ahead] = [run(0, 0), run(10, 0), run(10, 1)];
        expect((later?.ttftMs.p99 ?? 0) - (bare?.ttftMs.p99 ?? 0)).toBeCloseTo(10, 3);
        expect(ahead?.ttftMs.mean ?? 0).toBeGreaterThan(later?.ttftMs.mean ?? 0);
        expect(ahead?.tpotMs).toEqual(bare?.tpotMs);
        expect(ahead?.requestsPerSecond).toBe(bare?.requestsPerSecond);
      }),
      FEW,
    );
  });
});

describe("keepsLevel", () => {
  it("holds the percentile's times, at the worse edge, to the level", () => {
    fc.assert(
      fc.property(speeds(), (speed) => {
        const run = simulatedAt(speed, 0.01);
        if (run?.tpotMs === undefined) {
          throw new Error("nothing was played");
        }
        fc.pre(!run.saturated);
        const { p50, p99 } = run.tpotMs;
        expect(keepsLevel(speed, run, { tpotMs: p99 * 100 })).toBe(true);
        expect(keepsLevel(speed, run, { tpotMs: p99 * 0.999 })).toBe(false);
        expect(keepsLevel(speed, run, { tpotMs: p50 * 0.999, percentile: 50 })).toBe(false);
        expect(keepsLevel(speed, run, { ttftMs: run.ttftMs.p99 * 0.999 })).toBe(false);
        expect(keepsLevel(speed, { ...run, saturated: true })).toBe(false);
      }),
      FEW,
    );
  });
});
