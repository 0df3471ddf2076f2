import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { goesThroughStore, modelStorageGiB } from "../../planner/storage";

const weightsGB = fc.double({ min: 0, max: 5000, noNaN: true });

describe("modelStorageGiB", () => {
  it("is at least 1.5 times the model's bytes, in whole GiB, and at most one GiB more above the smallest volume", () => {
    fc.assert(
      fc.property(weightsGB, (size) => {
        const volume = modelStorageGiB(size);
        const least = (1.5 * size * 1e9) / 2 ** 30;
        expect(volume).toBeGreaterThanOrEqual(least);
        expect(volume).toBeLessThan(Math.max(2, least) + 1);
        expect(Number.isInteger(volume)).toBe(true);
      }),
    );
  });

  it("never falls with more bytes", () => {
    fc.assert(
      fc.property(weightsGB, weightsGB, (a, b) => {
        expect(modelStorageGiB(Math.max(a, b))).toBeGreaterThanOrEqual(modelStorageGiB(Math.min(a, b)));
      }),
    );
  });
});

describe("goesThroughStore", () => {
  it("is true for what engines read from the bucket, and false for what Ollama pulls from its registry", () => {
    expect(goesThroughStore({ kind: "huggingface", repository: "org/model", revision: "main" })).toBe(true);
    expect(goesThroughStore({ kind: "bucket", uri: "s3://bucket/model" })).toBe(true);
    expect(goesThroughStore({ kind: "ollama", tag: "llama3.2:3b" })).toBe(false);
  });
});
