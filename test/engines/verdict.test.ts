import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gpuModels } from "../../catalog/shapes";
import { estimateMemory } from "../../engines/estimate";
import type { MemoryRequest } from "../../engines/memory-request";
import ollamaTable from "../../engines/ollama/error-terms.json";
import { errorTable } from "../../engines/vllm/memory/error-terms";
import { evidenceFor } from "../../engines/vllm/memory/evidence";
import type { VllmRequest } from "../../engines/vllm/memory/request";
import { repositoryRoot } from "../../names/repository-root";
import type { MemoryEstimate } from "../../planner/memory/types";
import { type ErrorTable, intervalOf, type MemoryParts, termsFor } from "../../planner/memory/uncertainty";
import { judge, refused, type StartCheck } from "../../planner/memory/verdict";
import { verdictText } from "../../planner/memory/verdict-text";
import { atNight } from "../harness/property-runs";
import { fixtureArchitecture, modelFixtures } from "../planner/model/fixtures";
import { memoryRequest } from "./requests";
import { memoryRequest as vllmRequest } from "./vllm/requests";

const llama = fixtureArchitecture("meta-llama--Llama-3.1-8B");
const order = ["no", "edge", "fits"];
const rank = ({ verdict }: MemoryEstimate) => order.indexOf(verdict.answer);

/** Any model on any card of the catalogue, named or not, with any release; limits that cards decide are given. */
const anyRequest: fc.Arbitrary<MemoryRequest> = fc
  .record({
    architecture: fc.constantFrom(...modelFixtures.map((fixture) => fixture.architecture)),
    card: fc.constantFrom(...gpuModels),
    isNamed: fc.boolean(),
    minor: fc.integer({ min: 8, max: 34 }),
    isOllama: fc.boolean(),
    tensorParallel: fc.constantFrom(1, 2, 4, 8),
    pipelineParallel: fc.constantFrom(1, 2, 3),
    contextTokens: fc.integer({ min: 1, max: 200_000 }),
    concurrency: fc.integer({ min: 1, max: 128 }),
    // near the whole card what the engine asks besides the load decides
    utilization: fc.option(fc.double({ min: 0.5, max: 0.99, noNaN: true })),
  })
  .map(({ card, isNamed, minor, isOllama, utilization, ...request }) => ({
    ...request,
    ...(!isOllama && utilization !== null && { utilization }),
    engine: isOllama
      ? ({ name: "ollama", version: "0.32.15" } as const)
      : ({ name: "vllm", version: `0.${minor}.0` } as const),
    gpuMemoryGiB: card.engineMemoryGiB,
    gpuModel: isNamed ? card.model : undefined,
    kvCacheDtype: "auto" as const,
    ...(!isOllama && { maxNumSeqs: 256, args: { "max-num-batched-tokens": 2048 } }),
  }));

it("is that of a failed start check on one stage, where others have too little cache", () => {
  const uncertainty = { terms: [], basis: "measured", coverage: 0.95 };
  const stage = (index: number, kvCache: number, checks: readonly StartCheck[]) => ({
    stage: index,
    layers: 1,
    parts: { weights: 2, kvCache, activation: 0, nonTorch: 0, graphs: 0 },
    oneRequestGiB: 1,
    budgetGiB: 10,
    kvPoolGiB: 8,
    checks,
  });
  const off = { belowGiB: 0, aboveGiB: 0 };
  const capture = { decides: "graph capture", needGiB: 11, limitGiB: 10, off } as const;
  const needs = [stage(0, 12, [capture]), stage(1, 11.9, [])];
  for (const stages of [needs, needs.toReversed()]) {
    const { verdict, shortfallGiB } = judge(stages, uncertainty);
    expect([verdict.answer, verdict.decides, shortfallGiB]).toEqual(["no", "graph capture", 1]);
  }
});

describe("every verdict", () => {
  it("is of an interval around the estimate, and follows from it", () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        const { perGpu, stages, verdict } = estimateMemory(request);
        const { below, above } = verdict.intervalGiB;
        expect(below).toBeGreaterThan(0);
        expect(above).toBeGreaterThan(0);
        expect(perGpu.totalGiB).toBeGreaterThanOrEqual(0);
        const no = stages.some(({ totalGiB, belowGiB, limitGiB }) => totalGiB - belowGiB > limitGiB);
        const fits = stages.every(({ totalGiB, aboveGiB, limitGiB }) => totalGiB + aboveGiB <= limitGiB);
        const ofLoad = no ? "no" : fits ? "fits" : "edge";
        const { needGiB, limitGiB } = verdict.compared;
        expect(verdict.answer).toBe(needGiB + above <= limitGiB ? "fits" : needGiB - below > limitGiB ? "no" : "edge");
        // What the engine asks besides makes it worse, never better.
        expect(["fits", "edge", "no"].indexOf(verdict.answer)).toBeGreaterThanOrEqual(
          ["fits", "edge", "no"].indexOf(ofLoad),
        );
        expect(verdict.basis).not.toMatch(/[{}]|undefined/);
      }),
      { numRuns: atNight(150) },
    );
  });

  it("never gets worse with more memory of the same card", () => {
    fc.assert(
      fc.property(anyRequest, fc.double({ min: 1, max: 2, noNaN: true }), (request, factor) => {
        // an unnamed card from 70 GiB on counts as one of a data centre
        const named = { ...request, gpuModel: request.gpuModel ?? "NVIDIA L40S" };
        const larger = estimateMemory({ ...named, gpuMemoryGiB: named.gpuMemoryGiB * factor });
        expect(rank(larger)).toBeGreaterThanOrEqual(rank(estimateMemory(named)));
      }),
      { numRuns: atNight(150) },
    );
  });

  it("never gets better with more context or concurrency", () => {
    const more = fc.record({
      context: fc.integer({ min: 0, max: 100_000 }),
      requests: fc.integer({ min: 0, max: 64 }),
    });
    fc.assert(
      fc.property(anyRequest, more, (request, { context, requests }) => {
        const large = {
          ...request,
          contextTokens: request.contextTokens + context,
          concurrency: request.concurrency + requests,
        };
        expect(rank(estimateMemory(large))).toBeLessThanOrEqual(rank(estimateMemory(request)));
      }),
      { numRuns: atNight(150) },
    );
  });
});

describe("what is captured after the cache is filled", () => {
  it("fits no better with more context, of whatever the cache holds", () => {
    const answers = new Set<string>();
    const near = fc.record({
      architecture: fc.constantFrom(llama, fixtureArchitecture("Qwen--Qwen3-8B")),
      minor: fc.integer({ min: 8, max: 28 }),
      utilization: fc.double({ min: 0.9, max: 0.97, noNaN: true }),
      contextTokens: fc.integer({ min: 1, max: 8192 }),
      more: fc.integer({ min: 1, max: 16_384 }),
    });
    // Few of the others are refused.
    const tooLarge = { architecture: llama, minor: 24, utilization: 0.97, contextTokens: 7350, more: 16_375 };
    fc.assert(
      fc.property(near, ({ minor, more, ...asked }) => {
        const answerTo = (contextTokens: number) =>
          estimateMemory(
            memoryRequest(asked.architecture, {
              ...asked,
              contextTokens,
              concurrency: 1,
              engine: { name: "vllm", version: `0.${minor}.0` },
              gpuMemoryGiB: 22.03,
              gpuModel: "NVIDIA A10",
              maxNumSeqs: 256,
              args: { "max-num-batched-tokens": 2048 },
            }),
          );
        const small = answerTo(asked.contextTokens);
        answers.add(`${small.verdict.decides} ${small.verdict.answer}`);
        expect(rank(answerTo(asked.contextTokens + more))).toBeLessThanOrEqual(rank(small));
      }),
      { numRuns: atNight(150), examples: [[tooLarge]] },
    );
    expect([...answers]).toContain("graph capture no");
  });
});

describe("the interval", () => {
  const tables: readonly ErrorTable[] = [errorTable, ollamaTable];
  const parts: MemoryParts = { weights: 30, kvCache: 20, activation: 3, nonTorch: 2, graphs: 1 };
  const of = (changes: Partial<VllmRequest>) =>
    intervalOf({ terms: termsFor(errorTable.terms, evidenceFor(vllmRequest(llama, changes)).traits) }, parts, 80)
      .aboveGiB;
  const vllm = (version: string) => ({ version });

  it("adds the shares of one cause and combines causes in quadrature", () => {
    const source = "test";
    const terms = [
      { cause: "a", when: {}, above: { gib: 1, weights: 0.05, nonTorch: 0.25 }, below: {}, source },
      { cause: "b", when: {}, above: { kvCache: 0.2 }, below: { gib: 0.5 }, source },
    ];
    expect(intervalOf({ terms }, parts, 80)).toEqual({ aboveGiB: Math.hypot(1 + 1.5 + 0.5, 4), belowGiB: 0.5 });
    expect(intervalOf({ terms, flatFromGiB: 16 }, parts, 4)).toEqual({
      aboveGiB: Math.hypot(0.25 + 1.5 + 0.5, 4),
      belowGiB: 0.125,
    });
  });

  it("is narrow where start-ups were measured, and wider with every step away from them", () => {
    const gpuModel = "NVIDIA H100 80GB HBM3";
    const measured = of({ gpuModel, engine: vllm("0.19.0") });
    const elsewhere = of({ gpuModel: "NVIDIA L40S", engine: vllm("0.19.0") });
    const noCard = of({ gpuModel: "NVIDIA B200", engine: vllm("0.19.0") });
    const release = of({ gpuModel, engine: vllm("0.33.0") });
    const neither = of({ gpuModel: "NVIDIA B200", engine: vllm("0.33.0") });
    const amd = of({ gpuModel: "AMD Instinct MI300X", engine: vllm("0.33.0") });
    expect(measured).toBeLessThan(0.5);
    expect([measured, elsewhere, noCard, release, neither, amd]).toEqual(
      [measured, elsewhere, noCard, release, neither, amd].toSorted((a, b) => a - b),
    );
  });

  it("has terms with a source, no size below 0, and no cause that takes all of a part's growth away", () => {
    for (const { coverage } of tables) {
      expect(coverage).toBeGreaterThan(0.9);
    }
    for (const { above, below, source } of tables.flatMap(({ terms }) => terms)) {
      expect(source).not.toBe("");
      for (const size of [...Object.values(above), ...Object.values(below)]) {
        expect(size).toBeGreaterThan(0);
      }
      // more cache must never let the smallest need shrink
      expect(below.kvCache ?? 0).toBeLessThan(0.5);
    }
  });

  it("is told whole in the sizing page", () => {
    const page = readFileSync(join(repositoryRoot(), "docs/sizing.md"), "utf8");
    for (const { cause } of tables.flatMap(({ terms }) => terms)) {
      expect(page).toContain(`\n| ${cause} | `);
    }
  });
});

describe("what decides", () => {
  const decides = (changes: Partial<MemoryRequest>, architecture = llama) =>
    estimateMemory(memoryRequest(architecture, changes)).verdict;

  it("is named: weights, one request, the cache of all, graphs on top, the host", () => {
    expect(decides({ gpuMemoryGiB: 14 })).toMatchObject({ answer: "no", decides: "weights" });
    expect(decides({ gpuMemoryGiB: 30, contextTokens: 131_072 })).toMatchObject({
      answer: "no",
      decides: "one request",
    });
    expect(decides({ gpuMemoryGiB: 40, concurrency: 64 })).toMatchObject({ answer: "no", decides: "KV cache" });
    const old = { engine: { name: "vllm", version: "0.19.0" } } as const;
    expect(decides({ ...old, utilization: 0.9 })).toMatchObject({ answer: "fits" });
    expect(decides({ ...old, utilization: 0.985 })).toMatchObject({ answer: "edge", decides: "graph capture" });
    expect(decides({ ...old, utilization: 0.985, args: { "enforce-eager": true } })).toMatchObject({ answer: "fits" });
    expect(decides({ ...old, utilization: 1 }).answer).toBe("no");
    expect(decides({ utilization: 1 })).toMatchObject({ answer: "no", decides: "free memory" });
    const cpu = { engine: { name: "ollama", version: "0.32.15" }, device: "cpu", gpuMemoryGiB: 8 } as const;
    expect(decides(cpu)).toMatchObject({ decides: "host memory" });
    expect(refused(decides({}))).toMatchObject({ answer: "no", decides: "engine" });
  });

  it("says of engines, cards and layouts without measurements that they are not measured", () => {
    const basis = (changes: Partial<MemoryRequest>) => decides(changes).basis;
    expect(basis({ engine: { name: "vllm", version: "0.19.0" } })).toBe(
      "vLLM 0.19.0 measured on NVIDIA H100 80GB HBM3",
    );
    expect(basis({ gpuModel: "NVIDIA L40S" })).toBe("vLLM 0.33.0 not measured on NVIDIA L40S");
    expect(basis({ gpuModel: "AMD Instinct MI300X" })).toContain("AMD cards not measured");
    expect(basis({ engine: { name: "ollama", version: "0.32.15" } })).toBe("Ollama 0.32.15 not measured");
    expect(basis({ gpuModel: undefined })).toContain("its NVLink and kernels are guessed");
    expect(basis({ tensorParallel: 8 })).toContain("TP 8 × PP 1 not measured");
  });

  it("is told with what is left, how far the estimate can be off, and why", () => {
    const verdict = {
      answer: "edge",
      decides: "one request",
      intervalGiB: { below: 0.4, above: 0.9 },
      basis: "vLLM 0.33 not measured on L40S",
    } as const;
    expect(verdictText({ ...verdict, compared: { needGiB: 19.7, limitGiB: 20 } })).toBe(
      "may start or not: 0.3 GiB to spare by the estimate, which can be 0.9 GiB off (vLLM 0.33 not measured on L40S)",
    );
    expect(verdictText({ ...verdict, compared: { needGiB: 20.2, limitGiB: 20 }, decides: "KV cache" })).toBe(
      "may hold this load or not: 0.2 GiB missing by the estimate, which can be 0.4 GiB off (vLLM 0.33 not measured on L40S)",
    );
  });
});
