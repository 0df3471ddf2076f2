import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  added,
  countOf,
  type Histogram,
  histogramOf,
  meanOf,
  medianOf,
  quantileOf,
} from "../../../cli/calibrate/histogram";
import { quantile } from "../../../cli/measure/statistics";

const BOUNDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, Number.POSITIVE_INFINITY];

/** As a client library counts them. */
function counted(values: readonly number[], bounds: readonly number[] = BOUNDS): Histogram {
  const cumulative = new Map(bounds.map((bound) => [bound, values.filter((value) => value <= bound).length]));
  return histogramOf(
    cumulative,
    values.reduce((sum, value) => sum + value, 0),
  );
}

const values = fc.array(fc.double({ min: 0.001, max: 8, noNaN: true }), { minLength: 1, maxLength: 200 });

describe("a histogram", () => {
  it("has the exact mean and number, and holds each quantile between its bounds", () => {
    fc.assert(
      fc.property(values, fc.double({ min: 0.01, max: 1, noNaN: true }), (all, part) => {
        const histogram = counted(all);
        expect(countOf(histogram)).toBe(all.length);
        expect(meanOf(histogram)).toBeCloseTo(all.reduce((a, b) => a + b, 0) / all.length, 9);
        // The value of which so many are at most as large.
        const exact = [...all].sort((a, b) => a - b)[Math.ceil(part * all.length - 1e-9) - 1] ?? Number.NaN;
        const found = quantileOf(histogram, part);
        expect(found?.low).toBeLessThanOrEqual(exact);
        expect(found?.high).toBeGreaterThanOrEqual(exact);
        expect(found?.value).toBeGreaterThanOrEqual(found?.low ?? Number.NaN);
        expect(found?.value).toBeLessThanOrEqual(found?.high ?? Number.NaN);
      }),
    );
  });

  it("states a median whose error reaches the exact one", () => {
    fc.assert(
      fc.property(values, (all) => {
        const odd = all.length % 2 === 1 ? all : all.slice(1);
        const found = odd.length === 0 ? undefined : medianOf(counted(odd));
        if (found !== undefined) {
          expect(Math.abs(found.value - quantile(odd, 0.5))).toBeLessThanOrEqual(found.error * found.value + 1e-12);
        }
      }),
    );
  });

  it("has the mean as its median where all values share a bucket", () => {
    expect(medianOf(counted([0.011, 0.012, 0.013]))?.value).toBeCloseTo(0.012, 12);
  });

  it("adds up to the histogram of all values", () => {
    fc.assert(
      fc.property(values, values, (some, others) => {
        const both = added([counted(some), counted(others)]);
        expect(both.counts).toEqual(counted([...some, ...others]).counts);
        expect(both.sum).toBeCloseTo(counted([...some, ...others]).sum, 9);
      }),
    );
  });

  it("takes extrapolated counts that fall as level, and has no figure of nothing", () => {
    const falling = new Map([
      [1, 4.2],
      [2, 4.1],
      [Number.POSITIVE_INFINITY, 5],
    ]);
    expect(histogramOf(falling, 3).counts).toEqual([4.2, 0, expect.closeTo(0.8)]);
    expect(medianOf(counted([]))).toBeUndefined();
    expect(medianOf(counted([9, 9, 9]))).toBeUndefined();
  });
});
