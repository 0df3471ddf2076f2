import { describe, expect, it } from "vitest";
import { COLLECTORS, type TracedLoad } from "./traces";
import { addedBySpans, tracesFailures, tracesTable } from "./traces-report";

const round = (firstByteSeconds: number) => ({ perSecond: 100, firstByteSeconds, p50Seconds: 0.01, p99Seconds: 0.02 });

function load(collector: TracedLoad["collector"], traced: readonly number[]): TracedLoad {
  return { collector, plain: [round(0.01), round(0.02)], traced: traced.map(round) };
}

describe("what spans cost", () => {
  it("is told round by round", () => {
    expect(addedBySpans(load("gone", [0.0104, 0.0206]))).toBeCloseTo(0.0005);
  });

  it("is held to the limit of the first byte, whatever the collector does", () => {
    const [first, ...others] = COLLECTORS.map((collector) => load(collector, [0.0101, 0.0201]));
    expect(tracesFailures(first ? [first, ...others] : [])).toEqual([]);
    const slow = load("gone", [0.0125, 0.0225]);
    expect(tracesFailures([load("takes spans", [0.01, 0.02]), slow, load("never answers", [0.01, 0.02])])).toEqual([
      "spans to a collector that is gone: they add 2.5 ms to the first byte, at most 1 ms is asked",
    ]);
    expect(tracesTable([slow]).rows.map((cells) => cells.at(-1))).toEqual(["failed"]);
  });

  it("fails for what was not measured", () => {
    expect(tracesFailures([])).toEqual(COLLECTORS.map((collector) => `spans, collector ${collector}: not measured`));
  });
});
