import { describe, expect, it } from "vitest";
import { wholeNumber } from "../../names/whole-number";

describe("a whole number", () => {
  it("has units: k is a thousand, K is 1024", () => {
    expect(["8192", "8k", "8K", "1M", 12].map(wholeNumber)).toEqual([8192, 8000, 8192, 2 ** 20, 12]);
    expect(["", "k", "-1", "1.5", "0", "9".repeat(40), "1T1"].map(wholeNumber)).toEqual(Array(7).fill(undefined));
  });

  it("is a number or a text, whatever else stands there", () => {
    for (const value of [[12], { toString: null }, Object.create(null), Symbol("12"), null, undefined, 12n, true]) {
      expect(wholeNumber(value)).toBeUndefined();
    }
  });
});
