import { describe, expect, it } from "vitest";
import { estimateMemory, layoutProblems, startProblems } from "../../../engines/estimate";
import type { MemoryRequest } from "../../../engines/memory-request";
import { tgi } from "../../../engines/tgi";
import { modelOf } from "../../planner/fixtures";
import { fixtureArchitecture } from "../../planner/model/fixtures";
import { memoryRequest } from "../requests";

const llama = fixtureArchitecture("meta-llama--Llama-3.1-8B");
const on = (changes: Partial<MemoryRequest> = {}, architecture = llama) =>
  memoryRequest(architecture, { engine: { name: "tgi", version: "3.0.1" }, ...changes });

describe("memory under TGI", () => {
  it("is weights in 16 bits, one prefill of the context, and a cache of every token, out of 95 % of the card", () => {
    const { perGpu, stages, kvTokens, verdict } = estimateMemory(on({ concurrency: 4 }));
    // 8.03 B parameters of 2 bytes; 32 layers × 2 × 8 KV heads × 128 × 2 bytes a token.
    expect(perGpu.weightsGiB).toBeCloseTo(14.96, 1);
    expect(perGpu.kvCacheGiB).toBeCloseTo((4 * 8192 * 131_072) / 2 ** 30, 3);
    expect(perGpu.limitGiB).toBeCloseTo(79.19 * 0.95, 3);
    // 8192 tokens of 2 bytes × (4 × 4096 + 3 × 14336 + (32 + 2 × 8) × 128).
    expect(stages[0]?.overhead.activationGiB).toBeCloseTo((8192 * 2 * 65_536) / 2 ** 30, 3);
    expect(kvTokens).toBeGreaterThan(4 * 8192);
    expect(verdict).toMatchObject({ answer: "fits", basis: "TGI 3.0.1 not measured" });
  });

  it("is shared by the GPUs of a node, windows of attention and all", () => {
    const one = estimateMemory(on()).perGpu;
    const two = estimateMemory(on({ tensorParallel: 2 })).perGpu;
    expect(two.weightsGiB).toBeCloseTo(one.weightsGiB / 2, 6);
    expect(two.kvCacheGiB).toBeCloseTo(one.kvCacheGiB / 2, 6);
    expect(two.overheadGiB).toBeGreaterThan(one.overheadGiB / 2);
  });

  it("grows with the context by more than its cache: the prefill is of the whole of it", () => {
    const overhead = (contextTokens: number) => estimateMemory(on({ contextTokens })).perGpu.overheadGiB;
    expect(overhead(16_384) - overhead(8192)).toBeCloseTo(overhead(8192) - overhead(1), 2);
  });
});

describe("what TGI refuses", () => {
  it("is layouts that it cannot cut", () => {
    const problems = (tensorParallel: number, pipelineParallel = 1) =>
      layoutProblems("tgi", on({ tensorParallel, pipelineParallel }));
    expect(problems(8)).toEqual([]);
    expect(problems(3)).toEqual([
      expect.stringMatching(/^TP 3 .* 32 attention heads$/),
      "TP 3 does not divide the 8 KV heads",
      "TP 3 does not divide the 14336 channels of the feed-forward part",
    ]);
    expect(problems(16)).toEqual(["TP 16 does not divide the 8 KV heads"]);
    expect(problems(1, 2)).toEqual(["PP 2: TGI cuts no model into stages, use 1"]);
  });

  it("is families that came after it, and models with images", () => {
    const qwen3 = fixtureArchitecture("Qwen--Qwen3-8B");
    expect(startProblems(on({}, qwen3))).toEqual([expect.stringMatching(/has no qwen3: it serves .*llama/)]);
    const vision = fixtureArchitecture("Qwen--Qwen2.5-VL-7B-Instruct");
    expect(startProblems(on({}, vision))).toEqual([expect.stringContaining("with images")]);
  });

  it("is images that start as root alone", () => {
    const at = (version: string) => startProblems(on({ engine: { name: "tgi", version } }));
    expect(at("3.0.1")).toEqual([]);
    expect(at("2.4.1")).toEqual([]);
    expect(at("3.1.0")).toEqual([
      "images of TGI from 3.1 on start as root alone, which no pod here may be: take 3.0.1",
    ]);
    expect(at("3.3.7")).toHaveLength(1);
  });

  it("is weights in other formats than 16 bits, and tells it which of the two", () => {
    const model = (architecture = llama) => ({ ...modelOf("llama-3.1-8b-instruct"), architecture });
    expect(tgi.weights?.(model())).toEqual({ loadAs: { dtype: "bfloat16" } });
    expect(tgi.weights?.(model(fixtureArchitecture("Qwen--Qwen3-4B-AWQ")))).toEqual({
      refusal: expect.stringContaining("checkpoints in 16 bits alone"),
    });
  });

  it("is cards that are younger than it", () => {
    const refusals = (computeCapability: number) => {
      const card = { model: "card", computeCapability, bf16: true, fp8: true, mxfp4: false, nvfp4: false, source: "" };
      return tgi.cardVerdict?.(modelOf("llama-3.1-8b-instruct"), card).refusals;
    };
    expect(refusals(9)).toEqual([]);
    expect(refusals(10)).toMatchObject([{ reason: expect.stringContaining("TGI 3.0.1 is older than such cards") }]);
  });
});
