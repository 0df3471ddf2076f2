import { describe, expect, it } from "vitest";
import { estimateVllm, windowMargin } from "../../../../engines/vllm/memory/estimate";
import { fixtureArchitecture } from "../../../planner/model/fixtures";
import { memoryRequest } from "../requests";

const llama = fixtureArchitecture("meta-llama--Llama-3.1-8B");

describe("batches in flight", () => {
  const tokens = (version: string, pipelineParallel: number) =>
    windowMargin(memoryRequest(llama, { engine: { version }, pipelineParallel, vllm: { maxNumBatchedTokens: 1000 } }))
      .tokens;

  it.each([1, 2, 4])("are one per stage and one more with %i stages since 0.26.0", (stages) => {
    expect(tokens("0.26.0", stages)).toBe(1000 * (stages + 1));
    expect(tokens("0.33.0", stages)).toBe(1000 * (stages + 1));
  });

  it.each([1, 2, 4])("are a single one with %i stages before", (stages) => {
    expect(tokens("0.25.0", stages)).toBe(1000);
  });
});

describe("buffers of experts", () => {
  const mixtral = fixtureArchitecture("mistralai--Mixtral-8x7B-v0.1");
  const activation = (version: string, changes: object) =>
    estimateVllm(
      memoryRequest(mixtral, {
        tensorParallel: 4,
        engine: { version },
        vllm: { maxNumBatchedTokens: 16384, maxNumSeqs: 8 },
        ...changes,
      }),
    ).stages[0]?.overhead.activationGiB ?? 0;

  it("are two wide ones from the modular kernel of 0.14.0 on", () => {
    const narrower = 4096 - 14336 / 4;
    const bytes = 16384 * 2 * narrower * 2;
    expect((activation("0.14.0", {}) - activation("0.13.0", {})) * 2 ** 30).toBeCloseTo(bytes, 0);
  });

  it.each([
    ["NVIDIA H100 80GB SXM", 0],
    ["NVIDIA L40S", 1],
  ])("are so before where DeepGEMM may run FP8: %s", (gpuModel, sign) => {
    const fp8 = { gpuModel, quantization: "fp8" };
    expect(Math.sign(activation("0.14.0", fp8) - activation("0.13.0", fp8))).toBe(sign);
  });

  it("hold a chunk of a longer batch before 0.18.0", () => {
    const grows = (version: string) => {
      const of = (maxNumBatchedTokens: number) => activation(version, { vllm: { maxNumBatchedTokens, maxNumSeqs: 8 } });
      return (of(65536) - of(32768)) / (of(32768) - of(16384));
    };
    expect(grows("0.18.0")).toBeCloseTo(2, 6);
    expect(grows("0.11.0")).toBeLessThan(1.5);
  });
});

describe("what making a group of GPUs takes", () => {
  it.each([
    ["NVIDIA H100 80GB SXM", 2, 1.02],
    ["NVIDIA H100 80GB SXM", 1, 0],
    ["NVIDIA L40S", 2, 0],
  ])("is part of the budget before 0.11.0: %s, TP %i", (gpuModel, tensorParallel, gib) => {
    const nonTorch = (version: string) =>
      estimateVllm(memoryRequest(llama, { gpuModel, tensorParallel, engine: { version } })).stages[0]?.overhead
        .nonTorchGiB ?? 0;
    expect(nonTorch("0.10.2") - nonTorch("0.11.0")).toBeCloseTo(gib, 9);
  });
});

describe("a card whose whole memory is the engine's budget", () => {
  it.each([
    [1, 1, 0.51],
    [2, 1, 1.53],
    [1, 2, 1.53],
    [1, 4, 1.53],
    [4, 2, 1.53],
  ])("loses to the context of TP %i and PP %i %d GiB of each GPU", (tensorParallel, pipelineParallel, contextGiB) => {
    const request = { tensorParallel, pipelineParallel, gpuMemoryGiB: 80, utilization: 1 };
    const { compared, ...verdict } = estimateVllm(memoryRequest(llama, request)).verdict;
    expect(verdict).toMatchObject({ answer: "no", decides: "free memory" });
    expect(compared.needGiB - compared.limitGiB).toBeCloseTo(contextGiB, 9);
  });

  it("is not looked at before 0.9.1", () => {
    const request = { gpuMemoryGiB: 80, utilization: 0.999, vllm: { enforceEager: true, maxNumSeqs: 1 } };
    const decidesIn = (version: string) =>
      estimateVllm(memoryRequest(llama, { ...request, engine: { version } })).verdict.decides;
    expect(decidesIn("0.9.0")).not.toBe("free memory");
    expect(decidesIn("0.9.1")).toBe("free memory");
  });
});

describe("layers that look at chunks", () => {
  it("are cached whole before 0.14.0", () => {
    const scout = fixtureArchitecture("meta-llama--Llama-4-Scout-17B-16E-Instruct");
    const cacheIn = (version: string) =>
      estimateVllm(memoryRequest(scout, { engine: { version }, contextTokens: 1_000_000, tensorParallel: 8 })).perGpu
        .kvCacheGiB;
    expect(cacheIn("0.13.0") / cacheIn("0.14.0")).toBeGreaterThan(3);
  });
});
