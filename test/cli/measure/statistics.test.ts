import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mean, median, quantile, statedError } from "../../../cli/measure/statistics";

describe("a quantile", () => {
  it.each([
    [0, 10],
    [0.25, 17.5],
    [0.5, 25],
    [0.99, 39.7],
    [1, 40],
  ])("of part %d lies between its neighbours in proportion, whatever their order", (part, expected) => {
    expect(quantile([40, 10, 30, 20], part)).toBeCloseTo(expected, 9);
  });

  it("is no number without values", () => {
    expect([quantile([], 0.5), median([]), mean([])]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
  });
});

describe("the stated error", () => {
  /** Blocks with a mean of 100 and a sample standard deviation of 20: half of them above, half below, or one in the middle. */
  function blocks(count: number): number[] {
    const pairs = Math.floor(count / 2);
    const apart = Math.sqrt((20 ** 2 * (count - 1)) / (2 * pairs));
    const sides = Array.from({ length: 2 * pairs }, (_, i) => 100 + (i % 2 === 0 ? apart : -apart));
    return count % 2 === 0 ? sides : [...sides, 100];
  }

  // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2: upper critical values of Student's t, column 0.975.
  it.each([
    [2, 12.706],
    [3, 4.303],
    [4, 3.182],
    [5, 2.776],
    [6, 2.571],
    [7, 2.447],
    [8, 2.365],
    [9, 2.306],
    [10, 2.262],
    [11, 2.228],
  ])("of %i blocks is t = %d x s / sqrt(n) of their mean", (count, t) => {
    const expected = (t * 20) / Math.sqrt(count) / 100;
    expect(Math.abs((statedError(blocks(count)) ?? Number.NaN) / expected - 1)).toBeLessThan(0.003);
  });

  it("of many blocks is that of the normal distribution", () => {
    expect(statedError(blocks(50))).toBeCloseTo((1.96 * 20) / Math.sqrt(50) / 100, 9);
  });

  it("is 3 % at least, and scales with no unit", () => {
    expect(statedError([100, 100, 100])).toBe(0.03);
    expect(statedError([99, 100, 101])).toBe(0.03);
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 1, max: 100, noNaN: true }), { minLength: 2, maxLength: 12 }),
        fc.double({ min: 0.001, max: 1000, noNaN: true }),
        (values, unit) => {
          expect(statedError(values.map((value) => value * unit))).toBeCloseTo(statedError(values) ?? Number.NaN, 9);
        },
      ),
    );
  });

  it.each([[[]], [[5]], [[0, 0]], [[-1, 1]]])("is unknown of %j", (values: number[]) => {
    expect(statedError(values)).toBeUndefined();
  });
});
