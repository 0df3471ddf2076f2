import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateMemory, MemoryRequestError } from "../../engines/estimate";
import type { MemoryRequest } from "../../engines/memory-request";
import { estimateVllm } from "../../engines/vllm/memory/estimate";
import type { VllmRequest } from "../../engines/vllm/memory/request";
import { asServed } from "../../engines/vllm/memory/served-model";
import type { MemoryEstimate } from "../../planner/memory/types";
import { isStartCheck } from "../../planner/memory/verdict";
import type { ModelArchitecture } from "../../planner/model/architecture";
import { readModelConfig } from "../../planner/model/config-json";
import { weightBytes } from "../../planner/model/parameters";
import { atNight } from "../harness/property-runs";
import { fixtureArchitecture, fixtureConfig, modelFixtures } from "../planner/model/fixtures";
import { memoryRequest } from "./requests";
import { memoryRequest as vllmRequest } from "./vllm/requests";

const architectures = modelFixtures.map((fixture) => fixture.architecture);
const llama = fixtureArchitecture("meta-llama--Llama-3.1-8B");

const engine = fc.constantFrom(
  { name: "vllm", version: "0.33.0" } as const,
  { name: "vllm", version: "0.19.0" } as const,
  { name: "vllm", version: "0.9.0" } as const,
  { name: "ollama", version: "0.32.15" } as const,
);

/** Any model on any card in any layout that the stages allow. */
const anyRequest: fc.Arbitrary<MemoryRequest> = fc.record({
  architecture: fc.constantFrom(...architectures),
  engine,
  gpuMemoryGiB: fc.double({ min: 8, max: 288, noNaN: true }),
  tensorParallel: fc.constantFrom(1, 2, 4, 8),
  pipelineParallel: fc.constantFrom(1, 2, 3, 4),
  contextTokens: fc.integer({ min: 1, max: 200_000 }),
  concurrency: fc.integer({ min: 1, max: 256 }),
  kvCacheDtype: fc.constantFrom("auto", "bfloat16", "fp8"),
  gpuModel: fc.constantFrom("NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-80GB", "NVIDIA L40S", undefined),
});

function total(estimate: MemoryEstimate): number {
  return estimate.perGpu.totalGiB;
}

/** The answer to `one` promises more than that to `other`. */
function better(one: MemoryEstimate, other: MemoryEstimate): boolean {
  const order = ["no", "edge", "fits"];
  return order.indexOf(one.verdict.answer) > order.indexOf(other.verdict.answer);
}

describe("every estimate", () => {
  it("is made once for equal requests", () => {
    const request = memoryRequest(llama, { contextTokens: 4096 });
    expect(estimateMemory({ ...request })).toBe(estimateMemory({ ...request }));
    expect(estimateMemory({ ...request, contextTokens: 8192 })).not.toEqual(estimateMemory(request));
  });

  it("adds up, and fits exactly when the tightest GPU is within its limit", () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        const { perGpu, verdict, shortfallGiB, stages } = estimateMemory(request);
        expect(perGpu.totalGiB).toBeCloseTo(perGpu.weightsGiB + perGpu.kvCacheGiB + perGpu.overheadGiB, 9);
        const { needGiB, limitGiB: limit } = verdict.compared;
        const largest = needGiB + verdict.intervalGiB.above;
        expect(verdict.answer === "fits").toBe(largest <= limit);
        expect(shortfallGiB).toBeCloseTo(Math.max(0, largest - limit), 9);
        expect(perGpu.limitGiB).toBeLessThanOrEqual(request.gpuMemoryGiB);
        // A stage that fits nowhere in its interval decides before one that lacks more where it is largest, and a
        // start-up check before a cache that merely holds fewer requests than planned.
        for (const { totalGiB, aboveGiB, belowGiB, limitGiB } of stages) {
          const isSure = totalGiB - belowGiB > limitGiB;
          expect(isSure && verdict.answer !== "no").toBe(false);
          if (isSure === (verdict.answer === "no") && !isStartCheck(verdict.decides)) {
            expect(totalGiB + aboveGiB - limitGiB).toBeLessThanOrEqual(largest - limit + 1e-9);
          }
        }
        expect(stages.reduce((layers, stage) => layers + stage.layers, 0)).toBe(request.architecture.layers);
      }),
      { numRuns: atNight(150) },
    );
  });

  it("never starts to fit when context or concurrency grow", () => {
    const growth = fc.record({
      contextTokens: fc.integer({ min: 0, max: 50_000 }),
      concurrency: fc.integer({ min: 0, max: 64 }),
    });
    fc.assert(
      fc.property(anyRequest, growth, (request, more) => {
        const small = estimateMemory(request);
        const large = estimateMemory({
          ...request,
          contextTokens: request.contextTokens + more.contextTokens,
          concurrency: request.concurrency + more.concurrency,
        });
        expect(total(large)).toBeGreaterThanOrEqual(total(small) - 1e-9);
        expect(better(large, small)).toBe(false);
      }),
      { numRuns: atNight(150) },
    );
  });

  it("holds what fits: a load within the limit leaves room for every request", () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        const estimate = estimateMemory(request);
        if (estimate.verdict.answer !== "fits" || request.architecture.kind === "encoder") {
          return;
        }
        expect(estimate.requestCapacity).toBeGreaterThanOrEqual(request.concurrency * (1 - 1e-9));
        // Stage by stage: the one that limits the requests is not always the one with the least memory left.
        for (const stage of estimate.stages) {
          expect(stage.kvPoolGiB).toBeGreaterThanOrEqual(stage.kvCacheGiB * (1 - 1e-9));
        }
      }),
      { numRuns: atNight(150) },
    );
  });

  it("has weights that shrink, or stay, with tensor parallelism", () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        if (request.engine.name === "ollama") {
          return;
        }
        const weights = [1, 2, 4, 8].map(
          (tensorParallel) => estimateMemory({ ...request, tensorParallel }).perGpu.weightsGiB,
        );
        for (const [index, next] of weights.slice(1).entries()) {
          expect(next).toBeLessThanOrEqual((weights[index] ?? 0) + 1e-9);
        }
      }),
      { numRuns: atNight(60) },
    );
  });

  it("holds at least the checkpoint over all GPUs", () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        if (request.engine.name === "ollama") {
          return;
        }
        const { stages } = estimateMemory(request);
        const loaded = stages.reduce((sum, stage) => sum + stage.weightsGiB * request.tensorParallel, 0);
        const served = weightBytes(asServed(request).architecture).servedBytes / 2 ** 30;
        // row-wise scales are not repeated, so shards may be smaller by the scales of a split matrix
        expect(loaded).toBeGreaterThanOrEqual(served * 0.999);
      }),
      { numRuns: atNight(60) },
    );
  });
});

describe("vLLM", () => {
  const reported = (architecture: ModelArchitecture, changes: Partial<VllmRequest>) =>
    estimateVllm(vllmRequest(architecture, { contextTokens: 32768, ...changes }));

  it("takes 0.92 of the card and counts CUDA graphs since 0.20, 0.9 before", () => {
    const [old, current] = ["0.19.0", "0.33.0"].map((version) => reported(llama, { engine: { version } }));
    expect(old?.utilization).toBe(0.9);
    expect(current?.utilization).toBe(0.92);
    const first = reported(llama, { engine: { version: "0.20.0" } });
    expect(first.utilization).toBe(0.92);
    expect(first.perGpu.overheadGiB - (old?.perGpu.overheadGiB ?? 0)).toBeGreaterThan(0.5);
    expect((current?.perGpu.overheadGiB ?? 0) - (old?.perGpu.overheadGiB ?? 0)).toBeGreaterThan(0.5);
    expect(current?.basis).toBe("measured on vLLM 0.19; applied to 0.33.0");
    expect(old?.basis).toBe("measured on vLLM 0.18 and 0.19");
  });

  it("sorts no logits in the official image of 0.11.0: 24.8 bytes less per logit than with pip or in 0.11.1", () => {
    const qwen = fixtureArchitecture("Qwen--Qwen2.5-32B-Instruct");
    const pool = (version: string, installedFrom?: "image" | "pip") =>
      reported(qwen, { engine: { version }, installedFrom, vllm: { maxNumBatchedTokens: 2048 } }).kvPoolGiB;
    const sorting = (1024 * qwen.vocabSize * 24.8) / 2 ** 30;
    expect(sorting).toBeGreaterThan(3.5);
    expect(pool("0.11.0") - pool("0.11.0", "pip")).toBeCloseTo(sorting, 6);
    expect(pool("0.11.0") - pool("0.11.1")).toBeCloseTo(sorting, 6);
    expect(pool("0.33.0", "pip")).toBe(pool("0.33.0"));
  });

  it("captures no CUDA graphs under --enforce-eager: more pool from 0.20 on, before that more of the card", () => {
    const [counted, eager] = [undefined, { enforceEager: true }].map((vllm) => reported(llama, { vllm }));
    expect((counted?.perGpu.overheadGiB ?? 0) - (eager?.perGpu.overheadGiB ?? 0)).toBeGreaterThan(0.3);
    const old = { engine: { version: "0.19.0" }, utilization: 0.985 } as const;
    const [outside, none] = [undefined, { enforceEager: true }].map((vllm) => reported(llama, { ...old, vllm }));
    expect(none?.perGpu.overheadGiB).toBe(outside?.perGpu.overheadGiB);
    expect([none?.verdict.answer, outside?.verdict.decides]).toEqual(["fits", "graph capture"]);
  });

  it("halves the cache with fp8", () => {
    const plain = reported(llama, { concurrency: 4 });
    const fp8 = reported(llama, { concurrency: 4, kvCacheDtype: "fp8" });
    expect(fp8.perGpu.kvCacheGiB).toBeCloseTo(plain.perGpu.kvCacheGiB / 2, 6);
    expect(fp8.kvTokens).toBeGreaterThan(plain.kvTokens * 1.99);
  });

  it("does not divide a latent cache by tensor parallelism, and says so", () => {
    const deepseek = fixtureArchitecture("deepseek-ai--DeepSeek-V3");
    const card = { gpuMemoryGiB: 139.8, gpuModel: "NVIDIA H200", concurrency: 8 };
    const [eight, sixteen] = [8, 16].map((tensorParallel) => reported(deepseek, { ...card, tensorParallel }));
    expect(eight?.perGpu.kvCacheGiB).toBe(sixteen?.perGpu.kvCacheGiB);
    expect(eight?.notes.join()).toContain("latent attention");
  });

  it("stops dividing the cache beyond the number of KV heads", () => {
    const qwen = fixtureArchitecture("Qwen--Qwen3-235B-A22B");
    const [two, four, eight] = [2, 4, 8].map(
      (tensorParallel) => reported(qwen, { tensorParallel, concurrency: 8 }).perGpu.kvCacheGiB,
    );
    expect(four).toBeCloseTo((two ?? 0) / 2, 9);
    expect(eight).toBe(four);
  });

  it("puts the embedding on the first stage and the head on the last", () => {
    const { stages } = reported(llama, { pipelineParallel: 4 });
    const weights = stages.map((stage) => stage.weightsGiB);
    expect(weights[0]).toBeCloseTo(4.26, 2);
    expect(weights[1]).toBeCloseTo(3.28, 2);
    expect(weights[3]).toBeCloseTo(4.26, 2);
  });

  it("keeps a bounded window bounded", () => {
    const gptOss = fixtureArchitecture("openai--gpt-oss-20b");
    const at = (contextTokens: number) => reported(gptOss, { contextTokens }).perGpu.kvCacheGiB;
    const growth = (at(120_000) - at(100_000)) / 20_000;
    expect(growth * 2 ** 30).toBeCloseTo(24576, -2);
  });

  it("needs no cache for an encoder", () => {
    const estimate = reported(fixtureArchitecture("BAAI--bge-m3"), { contextTokens: 8192, concurrency: 100 });
    expect(estimate).toMatchObject({
      kvTokens: 0,
      verdict: { answer: "fits", decides: "weights" },
      perGpu: { kvCacheGiB: 0 },
    });
  });

  it("follows the known verdicts: 405B BF16 on two H100.8, FP8 on one, DeepSeek-V3 on one H200.8", () => {
    const llama405b = readModelConfig({
      ...fixtureConfig("meta-llama--Llama-3.1-70B"),
      hidden_size: 16384,
      intermediate_size: 53248,
      num_hidden_layers: 126,
      num_attention_heads: 128,
    });
    expect(reported(llama405b, { tensorParallel: 8 }).verdict.answer).toBe("no");
    expect(reported(llama405b, { tensorParallel: 8, pipelineParallel: 2 }).verdict.answer).toBe("fits");
    expect(reported(llama405b, { tensorParallel: 8, quantization: "fp8" }).verdict.answer).toBe("fits");
    expect(
      reported(llama405b, { tensorParallel: 8, gpuMemoryGiB: 139.8, gpuModel: "NVIDIA H200" }).verdict.answer,
    ).toBe("fits");
    const deepseek = fixtureArchitecture("deepseek-ai--DeepSeek-V3");
    expect(reported(deepseek, { tensorParallel: 8 }).verdict.answer).toBe("no");
    expect(reported(deepseek, { tensorParallel: 8, gpuMemoryGiB: 139.8, gpuModel: "NVIDIA H200" }).verdict.answer).toBe(
      "fits",
    );
    expect(reported(deepseek, { tensorParallel: 8, pipelineParallel: 2 }).verdict.answer).toBe("fits");
  });
});

describe("Ollama", () => {
  const ollama = (architecture: ModelArchitecture, changes: Partial<MemoryRequest> = {}) =>
    estimateMemory(
      memoryRequest(architecture, {
        engine: { name: "ollama", version: "0.32.15" },
        gpuMemoryGiB: 23.6,
        gpuModel: "NVIDIA A10",
        ...changes,
      }),
    );

  it("plans a 4-bit file unless told otherwise", () => {
    const four = ollama(llama);
    const eight = ollama(llama, { quantization: "Q8_0" });
    expect(four.notes[0]).toBe("weights as GGUF Q4_K_M");
    // the file has 4.58 GiB; the embedding table stays in host memory
    expect(four.perGpu.weightsGiB).toBeGreaterThan(4);
    expect(four.perGpu.weightsGiB).toBeLessThan(4.58);
    expect(eight.perGpu.weightsGiB).toBeGreaterThan(four.perGpu.weightsGiB * 1.6);
  });

  it("serves MXFP4 checkpoints as they are", () => {
    expect(ollama(fixtureArchitecture("openai--gpt-oss-20b")).notes[0]).toBe("weights as GGUF MXFP4");
  });

  it("spreads layers over the GPUs", () => {
    const one = ollama(fixtureArchitecture("meta-llama--Llama-3.1-70B"));
    const two = ollama(fixtureArchitecture("meta-llama--Llama-3.1-70B"), { pipelineParallel: 2 });
    expect(one.verdict.answer).toBe("no");
    expect(two.verdict.answer).toBe("fits");
    expect(two.stages.map((stage) => stage.layers)).toEqual([40, 40]);
  });

  it("knows no engine formats", () => {
    expect(() => ollama(llama, { quantization: "fp8" })).toThrow(/"fp8" is not known; use one of .*Q4_K_M/);
  });

  it("counts the whole file against host memory without a GPU", () => {
    const onCpu = ollama(llama, { device: "cpu", gpuMemoryGiB: 16 });
    expect(onCpu.perGpu.weightsGiB).toBeCloseTo(4.58, 1);
    expect(onCpu.verdict.answer).toBe("fits");
    expect(onCpu.notes).toContain("host memory, no GPU");
  });
});

describe("invalid requests", () => {
  it("are refused with every problem", () => {
    const bad = memoryRequest(llama, {
      tensorParallel: 0,
      pipelineParallel: 33,
      contextTokens: 1.5,
      utilization: 2,
      gpuMemoryGiB: Number.NaN,
    });
    expect(() => estimateMemory(bad)).toThrow(MemoryRequestError);
    expect(() => estimateMemory(bad)).toThrow(/tensorParallel.*contextTokens.*gpuMemoryGiB.*utilization.*32 layers/);
  });
});
