import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calibrate } from "../../../planner/speed/calibration";
import { closedLoop } from "../../../planner/speed/load";
import type { MeasuredLoad } from "../../../planner/speed/measurement";
import { promptWorkMs } from "../../../planner/speed/prefill";
import type { ReplicaSetup, SpeedFactors } from "../../../planner/speed/types";
import { setups } from "./arbitraries";

const SHAPE = { inputTokens: 500, outputTokens: 150, sharedPrefixTokens: 0, lengthVariation: 0 };

function loadOf(
  inFlight: number,
  ttftMs: number,
  tpotMs: number,
  tokensPerSecond: number,
  tokens = SHAPE,
): MeasuredLoad {
  return {
    inFlight,
    inputTokens: tokens.inputTokens,
    outputTokens: tokens.outputTokens,
    sharedPrefixTokens: 0,
    requests: 16,
    failed: 0,
    ttftMs: { median: ttftMs },
    tpotMs: { median: tpotMs },
    tokensPerSecond: { value: tokensPerSecond },
  };
}

/** What a replica with these factors would measure. */
function measuredOf(setup: ReplicaSetup, factors: SpeedFactors, inFlight: number): MeasuredLoad {
  const { ttftMs, tpotMs, tokensPerSecond } = closedLoop({ ...setup, calibration: factors }, SHAPE, inFlight);
  return loadOf(inFlight, ttftMs, tpotMs, tokensPerSecond);
}

const AS_PREDICTED: SpeedFactors = { step: 1, addedMs: 0, addedPerSequenceMs: 0, prompt: 1 };

describe("a calibration", () => {
  it("predicts the loads between those that were measured, however far the card is from its figures", () => {
    fc.assert(
      fc.property(
        setups(),
        fc.record({
          step: fc.double({ min: 0.3, max: 5, noNaN: true }),
          addedMs: fc.double({ min: 0, max: 10, noNaN: true }),
          addedPerSequenceMs: fc.double({ min: 0, max: 1, noNaN: true }),
          prompt: fc.double({ min: 0.3, max: 5, noNaN: true }),
        }),
        (given, truth) => {
          const setup: ReplicaSetup = { ...given, kvTokens: 100_000, maxNumSeqs: 256 };
          const loads = [2, 8, 32].map((inFlight) => measuredOf(setup, truth, inFlight));
          const calibrated = { ...setup, calibration: calibrate(setup, loads) };
          const [real, predicted] = [{ ...setup, calibration: truth }, calibrated].map((each) =>
            closedLoop(each, SHAPE, 16),
          );
          expect((predicted?.tpotMs ?? 0) / (real?.tpotMs ?? 1)).toBeGreaterThan(0.85);
          expect((predicted?.tpotMs ?? 0) / (real?.tpotMs ?? 1)).toBeLessThan(1.15);
        },
      ),
    );
  });

  it("leaves a prediction that was right as it is", () => {
    fc.assert(
      fc.property(setups(), (given) => {
        const setup: ReplicaSetup = { ...given, kvTokens: 100_000, maxNumSeqs: 256 };
        const { step, addedMs, addedPerSequenceMs } = calibrate(
          setup,
          [2, 8, 32].map((n) => measuredOf(setup, AS_PREDICTED, n)),
        );
        expect(step).toBeCloseTo(1, 1);
        expect(addedMs + addedPerSequenceMs).toBeLessThan(0.1);
      }),
    );
  });

  it.each([1, 8])(
    "leaves prompts a tenth of a first token that %i in flight got sooner than the formulas wait",
    (n) => {
      fc.assert(
        fc.property(setups(), (given) => {
          const setup: ReplicaSetup = { ...given, kvTokens: 100_000, maxNumSeqs: 256 };
          const waitMs = measuredOf(setup, { ...AS_PREDICTED, prompt: 1e-4 }, n).ttftMs.median;
          const load = { ...measuredOf(setup, AS_PREDICTED, n), ttftMs: { median: waitMs / 2 } };
          const calibrated = { ...setup, calibration: calibrate(setup, [load]) };
          expect(promptWorkMs(calibrated, SHAPE.inputTokens)).toBeGreaterThan(0.099 * load.ttftMs.median);
        }),
      );
    },
  );

  it("leaves prompts as predicted where all of their tokens were in the cache", () => {
    fc.assert(
      fc.property(setups(), (setup) => {
        const load = { ...measuredOf(setup, AS_PREDICTED, 1), sharedPrefixTokens: SHAPE.inputTokens };
        expect(calibrate(setup, [load]).prompt).toBe(1);
      }),
    );
  });
});
