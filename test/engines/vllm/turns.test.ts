/** vLLM where pods take turns on a card: what each instance may take, and what it is told, whoever starts first. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shapes } from "../../../catalog/shapes";
import { engineOf } from "../../../engines";
import { startProblems } from "../../../engines/estimate";
import { CONTEXT_GIB } from "../../../engines/vllm/memory/device";
import { kvLayout } from "../../../engines/vllm/memory/kv-groups";
import { vllmConstants } from "../../../engines/vllm/memory/versions";
import { vllmReleases } from "../../../engines/vllm/releases";
import { compareVersions } from "../../../names/versions";
import { ONE_GPU, onGpu } from "../../../planner/candidates/memory-requests";
import { layerCaches } from "../../../planner/memory/kv-cache";
import type { ModelRequest } from "../../../planner/request";
import { parted } from "../../../planner/slices";
import { atNight } from "../../harness/property-runs";
import { architectureOf, gpuOf, modelOf, shapeNamed } from "../../planner/fixtures";

const A10 = shapeNamed("VM.GPU.A10.1");
const H100 = shapeNamed("BM.GPU.H100.8");
const OLDEST = "0.10.2";

const releases = vllmReleases.releases.filter((version) => compareVersions(version, OLDEST) >= 0);
const cards = shapes.filter(({ gpu, denied }) => gpu?.vendor === "nvidia" && denied === undefined);

const onVllm = fc.record({
  name: fc.constantFrom(
    "llama-3.2-1b-instruct",
    "qwen2.5-0.5b-instruct",
    "qwen3-4b-awq",
    "qwen3-embedding-0.6b",
    "bge-m3",
  ),
  engineVersion: fc.constantFrom(...releases),
  contextTokens: fc.constantFrom(512, 2048, 8000),
  concurrency: fc.integer({ min: 1, max: 64 }),
  gpuMemoryUtilization: fc.option(
    fc.integer({ min: 50, max: 97 }).map((percent) => percent / 100),
    { nil: undefined },
  ),
  maxNumSeqs: fc.option(fc.integer({ min: 1, max: 512 }), { nil: undefined }),
  args: fc.constantFrom(undefined, { "enforce-eager": true }),
});
const onOllama = fc.record({
  name: fc.constantFrom("llama-3.2-1b-instruct", "qwen2.5-0.5b-instruct"),
  engine: fc.constant("ollama" as const),
  engineVersion: fc.constant("0.32.15"),
  contextTokens: fc.constantFrom(512, 8000),
  concurrency: fc.integer({ min: 1, max: 32 }),
});
const neighbour: fc.Arbitrary<ModelRequest> = fc
  .oneof({ arbitrary: onVllm, weight: 4 }, onOllama)
  .map(({ name, ...changes }) => modelOf(name, changes));

const requestOn = (shape: typeof A10, replicas: number, model: ModelRequest) =>
  onGpu(gpuOf(parted(shape, { timeSlicing: { replicas } })), model, ONE_GPU);
const estimateOf = (...asked: Parameters<typeof requestOn>) => engineOf(asked[2].engine).estimate(requestOn(...asked));

describe("models on the turns of one card", () => {
  it("take no more than the card has, and each starts where all others run and fill their parts", () => {
    let seen = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...cards),
        fc.integer({ min: 2, max: 12 }),
        fc.array(neighbour, { minLength: 12, maxLength: 12 }),
        (shape, replicas, mix) => {
          const cardGiB = gpuOf(shape).engineMemoryGiB;
          const placed = mix
            .slice(0, replicas)
            .map((model) => ({ engine: model.engine, ...estimateOf(shape, replicas, model) }))
            .filter(({ verdict }) => verdict.answer === "fits");
          fc.pre(placed.length > 1);
          seen += 1;
          const partGiB = cardGiB / replicas;
          const takes = placed.map(({ perGpu, verdict }) => perGpu.totalGiB + verdict.intervalGiB.above);
          expect(Math.max(...takes)).toBeLessThanOrEqual(partGiB);
          expect(takes.reduce((sum, taken) => sum + taken, 0)).toBeLessThanOrEqual(cardGiB);

          const told = placed.flatMap(({ engine, utilization }) => (engine === "vllm" ? [utilization] : []));
          expect(told.reduce((sum, share) => sum + share, 0)).toBeLessThan(1);
          // vLLM looks at what is free once its CUDA context is made, and takes the rest from then on.
          const free = cardGiB - (replicas - 1) * partGiB - CONTEXT_GIB.single;
          for (const [index, { engine, utilization }] of placed.entries()) {
            if (engine === "vllm") {
              expect(utilization * cardGiB).toBeLessThanOrEqual(free);
              expect(utilization * cardGiB).toBeGreaterThanOrEqual((takes[index] ?? 0) - CONTEXT_GIB.single - 1e-9);
            }
          }
        },
      ),
      { numRuns: atNight(300, 80) },
    );
    expect(seen).toBeGreaterThan(20);
  });

  it("are told of the whole card, which they see, and the user speaks of their part", () => {
    const small = modelOf("llama-3.2-1b-instruct", { contextTokens: 4096, concurrency: 2 });
    const cardGiB = gpuOf(A10).engineMemoryGiB;
    for (const [asked, share] of [
      [undefined, 0.92],
      [0.6, 0.6],
    ] as const) {
      const { perGpu, utilization } = estimateOf(A10, 2, { ...small, ...(asked && { gpuMemoryUtilization: asked }) });
      expect(perGpu.limitGiB).toBeCloseTo((share * cardGiB) / 2);
      expect(utilization).toBeCloseTo(share / 2 - CONTEXT_GIB.single / cardGiB, 3);
    }
  });

  it("have a cache for the requests of the plan and the page that vLLM keeps back, and no larger one", () => {
    const model = modelOf("llama-3.2-1b-instruct", { contextTokens: 4096, concurrency: 3 });
    const { perGpu, kvPoolGiB, requestCapacity, kvTokens } = estimateOf(H100, 4, model);
    const caches = layerCaches(architectureOf("llama-3.2-1b-instruct"), "auto", 1);
    const pageGiB = (kvLayout(caches, vllmConstants("0.33.0").constants)?.pageBytes ?? 0) / 2 ** 30;
    const whole = engineOf("vllm").estimate(onGpu(gpuOf(H100), model, ONE_GPU));
    expect(perGpu.kvCacheGiB).toBeCloseTo(whole.perGpu.kvCacheGiB + pageGiB, 9);
    expect(kvPoolGiB).toBeCloseTo(perGpu.kvCacheGiB, 9);
    expect(requestCapacity).toBeGreaterThanOrEqual(3);
    expect(kvTokens).toBeLessThan(4 * 4096);
  });

  it("batch as on the whole card, whose memory decides vLLM's defaults, and hold its CUDA context and graphs", () => {
    const model = modelOf("llama-3.2-1b-instruct", { contextTokens: 4096, concurrency: 2 });
    const whole = onGpu(gpuOf(H100), model, ONE_GPU);
    const turn = requestOn(H100, 4, model);
    expect(engineOf("vllm").batchLimits?.(turn)).toEqual(engineOf("vllm").batchLimits?.(whole));
    const [overhead, ofTurn] = [whole, turn].map((each) => engineOf("vllm").estimate(each).stages[0]?.overhead);
    expect(ofTurn?.activationGiB).toBe(overhead?.activationGiB);
    expect(ofTurn?.nonTorchGiB).toBeCloseTo((overhead?.nonTorchGiB ?? 0) + CONTEXT_GIB.single);

    // 0.19 captures graphs on top of the budget: on a turn they are part of it.
    const graphs = (request: typeof turn) =>
      engineOf("vllm").estimate({ ...request, engine: { name: "vllm", version: "0.19.0" } }).stages[0]?.overhead
        .graphsGiB;
    expect(graphs(whole)).toBe(0);
    expect(graphs(turn)).toBeGreaterThan(0.1);
  });
});

describe("vLLM on a turn does not start", () => {
  const problemsOf = (model: ModelRequest, replicas?: number) =>
    startProblems(replicas === undefined ? onGpu(gpuOf(H100), model, ONE_GPU) : requestOn(H100, replicas, model));
  const small = (engineVersion: string) => modelOf("llama-3.2-1b-instruct", { engineVersion });

  it("on a release that sizes its cache by what others leave of the card", () => {
    for (const version of vllmReleases.releases) {
      const isOlder = compareVersions(version, OLDEST) < 0;
      const problems = problemsOf(small(version), 4);
      expect(problems, version).toHaveLength(isOlder ? 1 : 0);
      expect(problems.every((text) => text.includes(OLDEST))).toBe(true);
      expect(problemsOf(small(version)), version).toEqual([]);
    }
  });

  it("where it batches more sequences than its cache, which is told, has pages for", () => {
    const H200 = shapeNamed("BM.GPU.H200.8");
    const hybrid = modelOf("nemotron-3-nano-30b-a3b", { concurrency: 4, contextTokens: 4096 });
    const verdictOf = (changes: Partial<ModelRequest>) => estimateOf(H200, 2, { ...hybrid, ...changes }).verdict;
    expect(verdictOf({})).toMatchObject({ answer: "no", decides: "recurrent states" });
    expect(verdictOf({ maxNumSeqs: 5 }).answer).toBe("fits");
    expect(verdictOf({ maxNumSeqs: 4096 }).answer).toBe("no");
    expect(verdictOf({ args: { "enforce-eager": true } }).decides).not.toBe("recurrent states");
    expect(verdictOf({ args: { "compilation-config": { cudagraph_mode: "PIECEWISE" } } }).decides).not.toBe(
      "recurrent states",
    );
    expect(verdictOf({ engineVersion: "0.19.1" }).decides).not.toBe("recurrent states");
  });
});
