import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gpuModels } from "../../../../catalog/shapes";
import { type CardTraits, cardTraits } from "../../../../engines/vllm/memory/cards";
import { estimateVllm } from "../../../../engines/vllm/memory/estimate";
import type { VllmRequest } from "../../../../engines/vllm/memory/request";
import { type VllmConstants, vllmConstants } from "../../../../engines/vllm/memory/versions";
import table from "../../../../engines/vllm/memory/versions.json";
import { atNight } from "../../../harness/property-runs";
import { fixtureArchitecture, modelFixtures } from "../../../planner/model/fixtures";
import { memoryRequest } from "../requests";

/** Figures of an estimate that a rule can change. */
type Figure = "weights" | "cache" | "overhead" | "limit" | "tokens";

type Rule = Exclude<keyof VllmConstants, "from" | "measuredOn">;

/** What each dated rule of vLLM may change; a rule that is not here changes an estimate in secret. */
const figuresOfRule: Readonly<Record<Rule, readonly Figure[]>> = {
  defaultUtilization: ["limit"],
  secondRunner: ["overhead", "limit"],
  cudaGraphsInPool: ["overhead", "limit"],
  graphSizes: ["overhead"],
  cachesChunksWhole: ["cache", "tokens"],
  checksFreeMemory: [],
  tablesInPool: [],
  countsAfterGroup: ["overhead"],
  uncountedHandlesGiB: [],
  statePageOfEachSequence: [],
  largestGraph: ["overhead", "limit"],
  tritonLatentDecodingGraphs: ["overhead", "limit"],
  batchTokensFrom160GiB: ["overhead", "limit", "cache"],
  reportsRequestCapacity: [],
  sampler: ["overhead"],
  samplerOfSecondRunner: ["overhead"],
  penaltiesInPool: ["overhead", "limit"],
  buffersStayWhileSampling: ["overhead"],
  nonTorchGiB: ["overhead"],
  mxfp4: ["weights"],
  plainExpertMultiple: ["weights"],
  nvfp4Experts: ["weights"],
  expertsInModularKernel: ["overhead"],
  expertChunkTokens: ["overhead"],
  rocmPadsExperts: ["weights"],
  skipsUnusedTowers: ["weights", "overhead"],
  fp8CacheOfCheckpoint: ["cache"],
  latentWorkspaceMiB: ["weights"],
  groupSizeTolerance: ["cache"],
  hybridStatePages: ["cache"],
  windowsKeepAllBatches: ["cache"],
};

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function figures(request: VllmRequest): Readonly<Record<Figure, number>> {
  const { perGpu, kvTokens } = estimateVllm(request);
  const { weightsGiB, kvCacheGiB, overheadGiB, limitGiB } = perGpu;
  return { weights: weightsGiB, cache: kvCacheGiB, overhead: overheadGiB, limit: limitGiB, tokens: kvTokens };
}

/** Figures that differ, tokens aside: they follow from the others. */
function differing(one: VllmRequest, other: VllmRequest): readonly string[] {
  const [before, after] = [figures(one), figures(other)];
  return (["weights", "cache", "overhead", "limit"] as const).filter(
    (figure) => Math.abs(before[figure] - after[figure]) > 1e-9,
  );
}

/** Every release line from 0.8 to 0.33, and what the table dates between them. */
const versions = [
  ...new Set([
    ...Array.from({ length: 26 }, (_, index) => `0.${8 + index}.0`),
    ...table.changes.map(({ from }) => from),
  ]),
].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));

/** Dense, windows, experts, experts in MXFP4, latent attention, recurrent layers: the kinds that rules tell apart. */
const eachKind = [
  "Qwen--Qwen3-8B",
  "google--gemma-2-9b-it",
  "Qwen--Qwen3-30B-A3B",
  "openai--gpt-oss-20b",
  "deepseek-ai--DeepSeek-V3",
  "nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
].map(fixtureArchitecture);

const someRequest: fc.Arbitrary<VllmRequest> = fc.record({
  architecture: fc.constantFrom(...modelFixtures.map(({ architecture }) => architecture)),
  engine: fc.constant({ version: "0.33.0" } as const),
  gpuMemoryGiB: fc.oneof(fc.double({ min: 8, max: 288, noNaN: true }), fc.constantFrom(69.9, 159.9)),
  gpuModel: fc.constantFrom(...gpuModels.map(({ model }) => model)),
  tensorParallel: fc.constantFrom(1, 2, 4, 8),
  // stages differ in what limits them: one figure of the tightest may change for another's sake
  pipelineParallel: fc.constant(1),
  contextTokens: fc.integer({ min: 1, max: 100_000 }),
  concurrency: fc.integer({ min: 1, max: 64 }),
  kvCacheDtype: fc.constantFrom("auto", "fp8"),
});

describe("between neighbouring versions of vLLM", () => {
  it("every rule that the table dates is described, and says what it may change", () => {
    const rules = Object.keys(table.oldest).filter((key) => key !== "from" && key !== "measuredOn");
    expect(Object.keys(figuresOfRule).sort()).toEqual(rules.sort());
    expect(Object.keys(table.fields)).toEqual(expect.arrayContaining(rules));
    for (const change of table.changes) {
      expect(Object.keys(table.oldest)).toEqual(expect.arrayContaining(Object.keys(change)));
    }
  });

  /** Figures that no rule between two neighbouring versions explains. */
  function unexplained(request: VllmRequest, older: string, newer: string): readonly string[] {
    const [before, after] = [older, newer].map((version) => vllmConstants(version).constants);
    const rules = (Object.keys(figuresOfRule) as Rule[]).filter((rule) => !isSame(before?.[rule], after?.[rule]));
    const explained: readonly string[] = rules.flatMap((rule) => figuresOfRule[rule]);
    const [one, other] = [older, newer].map((version): VllmRequest => ({ ...request, engine: { version } }));
    return differing(one ?? request, other ?? request).filter((figure) => !explained.includes(figure));
  }
  const neighbours = versions.slice(1).map((newer, index) => [versions[index] ?? "", newer] as const);

  it.each(neighbours)("%s to %s: estimates change by dated rules alone, and only where these say", (older, newer) => {
    for (const architecture of eachKind) {
      expect(unexplained(memoryRequest(architecture), older, newer), architecture.name).toEqual([]);
    }
  });

  it("so they do for any model on any card", () => {
    fc.assert(
      fc.property(someRequest, fc.constantFrom(...neighbours), (request, [older, newer]) => {
        expect(unexplained(request, older, newer)).toEqual([]);
      }),
      { numRuns: atNight(100) },
    );
  });
});

/** What each trait of a card may change. */
const figuresOfTrait: Readonly<Record<keyof CardTraits | "isSlow", readonly Figure[]>> = {
  linked: ["overhead"],
  expertKernel: ["weights"],
  fp8ExpertsOnFlashInfer: ["weights"],
  vendor: ["weights", "overhead", "limit"],
  generation: ["overhead", "limit"],
  known: [],
  // the scheduler's defaults (scheduler-defaults.ts)
  isSlow: ["overhead", "limit", "cache"],
};

describe("between cards of the same memory", () => {
  const traitsOf = (request: VllmRequest) => ({
    ...cardTraits(request),
    isSlow: /a100|gb10/i.test(request.gpuModel ?? ""),
  });

  it("an estimate changes by their traits alone, and only where these say", () => {
    const model = fc.constantFrom(...gpuModels.map(({ model }) => model));
    fc.assert(
      fc.property(someRequest, fc.constantFrom(...versions), model, (request, version, gpuModel) => {
        const one: VllmRequest = { ...request, engine: { version } };
        const other: VllmRequest = { ...one, gpuModel };
        const [a, b] = [traitsOf(one), traitsOf(other)];
        const traits = (Object.keys(figuresOfTrait) as (keyof typeof figuresOfTrait)[]).filter(
          (key) => a[key] !== b[key],
        );
        const explained = traits.flatMap((trait) => figuresOfTrait[trait]);
        expect(explained, `${one.gpuModel} and ${gpuModel}: ${traits.join(", ") || "no trait"}`).toEqual(
          expect.arrayContaining([...differing(one, other)]),
        );
      }),
      { numRuns: atNight(120) },
    );
  });

  it("more memory changes nothing but the limit, except where vLLM's defaults change: 70 and 160 GiB", () => {
    fc.assert(
      fc.property(
        someRequest,
        fc.constantFrom(...versions),
        fc.double({ min: 1, max: 1.05, noNaN: true }),
        (request, version, factor) => {
          const one: VllmRequest = { ...request, engine: { version } };
          const other: VllmRequest = { ...one, gpuMemoryGiB: one.gpuMemoryGiB * factor };
          const crosses = [70, 160].some((step) => one.gpuMemoryGiB < step && other.gpuMemoryGiB >= step);
          if (crosses) {
            return;
          }
          expect(["limit"]).toEqual(expect.arrayContaining([...differing(one, other)]));
        },
      ),
      { numRuns: atNight(100) },
    );
  });
});
