import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pairedRatio, summarize } from "./statistics";

const measurements = fc.array(fc.double({ min: 0.001, max: 1000, noNaN: true }), { minLength: 1, maxLength: 20 });

describe("summarize", () => {
  it("takes the middle of an odd number and the mean of the two middles of an even one", () => {
    expect(summarize([3, 1, 2])).toEqual({ min: 1, median: 2, max: 3 });
    expect(summarize([4, 1, 3, 2])).toEqual({ min: 1, median: 2.5, max: 4 });
    expect(summarize([7])).toEqual({ min: 7, median: 7, max: 7 });
  });

  it("puts half of the values on each side of the median", () => {
    fc.assert(
      fc.property(measurements, (values) => {
        const { min, median, max } = summarize(values);
        expect(values.filter((v) => v <= median).length).toBeGreaterThanOrEqual(values.length / 2);
        expect(values.filter((v) => v >= median).length).toBeGreaterThanOrEqual(values.length / 2);
        expect([min, max]).toEqual([Math.min(...values), Math.max(...values)]);
      }),
    );
  });

  it("refuses to summarize nothing", () => {
    expect(() => summarize([])).toThrow("no measurements");
  });
});

describe("pairedRatio", () => {
  it("compares within each round, so that a slow round does not count", () => {
    expect(pairedRatio([2, 40, 2], [1, 20, 1])).toBe(2);
  });

  it("finds the factor between two series whatever the noise they share", () => {
    fc.assert(
      fc.property(measurements, fc.double({ min: 0.1, max: 100, noNaN: true }), (values, factor) => {
        expect(
          pairedRatio(
            values.map((v) => v * factor),
            values,
          ),
        ).toBeCloseTo(factor, 9);
      }),
    );
  });

  it("refuses series of different lengths", () => {
    expect(() => pairedRatio([1], [1, 2])).toThrow("cannot be paired");
  });
});
