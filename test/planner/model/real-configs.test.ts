import { describe, expect, it } from "vitest";
import {
  kvCacheBytesPerToken,
  kvCacheBytesPerTokenBeyondWindow,
  stateElementsPerSequence,
} from "../../../planner/memory/kv-cache";
import { countParameters, weightBytes } from "../../../planner/model/parameters";
import { tensorInventory } from "../../../planner/model/tensors";
import { modelFixtures } from "./fixtures";

/** Relative difference. */
function error(actual: number, expected: number): number {
  return Math.abs(actual / expected - 1);
}

describe.each(modelFixtures)("$name", ({ architecture, expected }) => {
  // Llama-4-Scout: the config lacks the vision tower that the published total counts
  const total = expected.computedFromThisConfigB ?? expected.totalParametersB;

  it("has the published number of parameters", () => {
    // Kimi-K2.5 publishes the text model only; its config also describes a vision tower of 0.05 %
    expect(error(countParameters(architecture).total / 1e9, total)).toBeLessThan(0.0005);
  });

  it("has the published parameters by part", () => {
    const counts = countParameters(architecture);
    if (expected.totalParametersWithMtpB !== undefined) {
      expect(error(counts.totalWithMtp / 1e9, expected.totalParametersWithMtpB)).toBeLessThan(1e-6);
    }
    if (expected.activeParametersB !== undefined) {
      expect(error(counts.active / 1e9, expected.activeParametersB)).toBeLessThan(1e-6);
    }
    expect(error(counts.vision / 1e9 + 1, (expected.visionParametersB ?? counts.vision / 1e9) + 1)).toBeLessThan(1e-5);
  });

  it("has the published checkpoint size", () => {
    const missingVision = expected.totalParametersB - total;
    expect(error(weightBytes(architecture).checkpointBytes / 1e9 + missingVision * 2, expected.weightsGB)).toBeLessThan(
      0.002,
    );
  });

  it("has an exact KV cache per token", () => {
    expect(kvCacheBytesPerToken(architecture, "bfloat16")).toBe(expected.kvCacheBytesPerTokenBf16);
    expect(kvCacheBytesPerToken(architecture, "fp8")).toBe(expected.kvCacheBytesPerTokenBf16 / 2);
    expect(kvCacheBytesPerTokenBeyondWindow(architecture, "bfloat16")).toBe(
      expected.kvCacheBytesPerTokenBf16BeyondWindow ?? expected.kvCacheBytesPerTokenBf16,
    );
  });

  it("has an exact fixed state per sequence", () => {
    const { recurrent, convolution } = stateElementsPerSequence(architecture);
    expect({ ssm: recurrent, conv: convolution }).toEqual(expected.stateElementsPerSequence ?? { ssm: 0, conv: 0 });
  });

  it("keeps inventory, totals and sizes consistent", () => {
    const inventory = tensorInventory(architecture);
    const sum = inventory.reduce((parameters, tensor) => parameters + tensor.rows * tensor.columns * tensor.count, 0);
    expect(sum).toBe(countParameters(architecture).totalWithMtp);
    const sizes = weightBytes(architecture);
    const parts =
      sizes.embeddingBytes + sizes.attentionBytes + sizes.feedForwardBytes + sizes.expertBytes + sizes.visionBytes;
    expect(error(parts, sizes.servedBytes)).toBeLessThan(1e-12);
    expect(sizes.servedBytes).toBeLessThanOrEqual(sizes.checkpointBytes);
  });
});
