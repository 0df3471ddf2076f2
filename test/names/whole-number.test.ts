import { describe, expect, it } from "vitest";
import { wholeNumber } from "../../names/whole-number";

describe("a whole number", () => {
  it("has units: k is a thousand, K is 1024", () => {
    expect(["8192", "8k", "8K", "1M", 12].map(wholeNumber)).toEqual([8192, 8000, 8192, 2 ** 20, 12]);
    expect(["2m", "1g", "1G"].map(wholeNumber)).toEqual([2_000_000, 1_000_000_000, 2 ** 30]);
    expect(["", "k", "-1", "1.5", "0", "9".repeat(40), "1K1"].map(wholeNumber)).toEqual(Array(7).fill(undefined));
  });

  it("is at most 2147483647, in any unit", () => {
    expect(["2147483647", "2097151K", "2147483k"].map(wholeNumber)).toEqual([2 ** 31 - 1, 2 ** 31 - 1024, 2147483000]);
    expect(["2147483648", "2G", "3g", "1t", "8192T"].map(wholeNumber)).toEqual(Array(5).fill(undefined));
  });

  it("is a number or a text, whatever else stands there", () => {
    for (const value of [[12], { toString: null }, Object.create(null), Symbol("12"), null, undefined, 12n, true]) {
      expect(wholeNumber(value)).toBeUndefined();
    }
  });
});
