/** Models that share a server: what all of them take, whatever models they are. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateMemory, estimateServer } from "../../engines/estimate";
import type { MemoryRequest } from "../../engines/memory-request";
import { planDeployment } from "../../planner/plan";
import { planWithAdvice } from "../../planner/plan-with-advice";
import type { ModelRequest } from "../../planner/request";
import { atNight } from "../harness/property-runs";
import { environmentOf, modelOf, poolOf } from "./fixtures";

const NAMES = ["llama-3.2-3b-instruct", "qwen2.5-7b-instruct", "bge-m3", "phi-4"] as const;
const models = new Map(NAMES.map((name) => [name, ollama(name)]));

function ollama(name: string, changes: Partial<ModelRequest> = {}): ModelRequest {
  return modelOf(name, {
    engine: "ollama",
    engineVersion: "0.32.15",
    quantization: "Q4_K_M",
    source: { kind: "ollama", tag: name },
    task: name === "bge-m3" ? "embedding" : "chat",
    contextTokens: 4096,
    concurrency: 2,
    ...changes,
  });
}

const load = fc.record({
  name: fc.constantFrom(...NAMES),
  contextTokens: fc.integer({ min: 128, max: 8192 }),
});
/** Different models with their contexts, on one card or two, at one concurrency. */
const servers = fc
  .record({
    loads: fc.uniqueArray(load, { minLength: 1, maxLength: 4, selector: ({ name }) => name }),
    concurrency: fc.integer({ min: 1, max: 8 }),
    gpus: fc.constantFrom(1, 2),
    gpuMemoryGiB: fc.double({ min: 8, max: 96, noNaN: true }),
    device: fc.constantFrom("gpu" as const, "cpu" as const),
  })
  .map(({ loads, gpus, device, ...shared }) =>
    loads.map(({ name, contextTokens }): MemoryRequest => {
      const { architecture, quantization, kvCacheDtype } = models.get(name) ?? ollama(name);
      return {
        ...{ architecture, quantization, kvCacheDtype, contextTokens, device, ...shared },
        engine: { name: "ollama", version: "0.32.15" },
        tensorParallel: 1,
        pipelineParallel: device === "cpu" ? 1 : gpus,
      };
    }),
  );

type Requests = readonly [MemoryRequest, ...MemoryRequest[]];

describe("the memory of a server", () => {
  it("is that of its model alone, where it has one", () => {
    fc.assert(
      fc.property(servers, ([request]) => {
        if (request) {
          const alone = estimateMemory(request);
          expect(estimateServer([request])).toEqual({ together: alone, each: [alone] });
        }
      }),
      { numRuns: atNight(50) },
    );
  });

  it("holds all at their largest on every GPU when each fits, and else not all of them do", () => {
    fc.assert(
      fc.property(servers, (requests) => {
        const { together, each } = estimateServer(requests as unknown as Requests);
        const fit = each.map(({ verdict }) => verdict.answer === "fits");
        expect(together.verdict.answer === "fits").toBe(fit.every(Boolean));
        for (const [at, { limitGiB }] of together.stages.entries()) {
          const most = each.reduce(
            (sum, { stages }) => sum + (stages[at]?.totalGiB ?? 0) + (stages[at]?.aboveGiB ?? 0),
            0,
          );
          if (fit.every(Boolean)) {
            expect(most).toBeLessThanOrEqual(limitGiB + 1e-9);
          }
          expect(together.stages[at]?.totalGiB).toBeCloseTo(
            each.reduce((sum, { stages }) => sum + (stages[at]?.totalGiB ?? 0), 0),
            9,
          );
        }
      }),
      { numRuns: atNight(100) },
    );
  });

  it("leaves room on GPUs for any of them to be loaded again: by Ollama's reckoning, in four fifths of what is free", () => {
    fc.assert(
      fc.property(servers, (requests) => {
        const { together, each } = estimateServer(requests as unknown as Requests);
        if (requests.length < 2 || requests[0]?.device === "cpu" || together.verdict.answer !== "fits") {
          return;
        }
        for (const [index, request] of requests.entries()) {
          const limits = estimateMemory(request).stages.reduce((sum, { limitGiB }) => sum + limitGiB, 0);
          const others = each
            .filter((_, other) => other !== index)
            .reduce((sum, { stages }) => sum + stages.reduce((of, s) => of + s.totalGiB + s.aboveGiB, 0), 0);
          // Weights and cache alone: its reckoning has these at least.
          const { stages } = estimateMemory(request);
          const reckoned = stages.reduce((sum, { weightsGiB, kvCacheGiB }) => sum + weightsGiB + kvCacheGiB, 0);
          expect(reckoned).toBeLessThanOrEqual((limits - others) * 0.8 + 1e-9);
        }
      }),
      { numRuns: atNight(100) },
    );
  });

  it("is the same in whatever order its models come", () => {
    fc.assert(
      fc.property(servers, (requests) => {
        const forwards = estimateServer(requests as unknown as Requests);
        const backwards = estimateServer(requests.toReversed() as unknown as Requests);
        expect(backwards.each.toReversed().map(({ perGpu, verdict }) => ({ perGpu, verdict }))).toEqual(
          forwards.each.map(({ perGpu, verdict }) => ({ perGpu, verdict })),
        );
        expect(backwards.together.perGpu).toEqual(forwards.together.perGpu);
      }),
      { numRuns: atNight(50) },
    );
  });
});

describe("the plan of models that share a server", () => {
  const host = ollama("llama-3.2-3b-instruct", { name: "assistant", concurrency: 4, minReplicas: 2, maxReplicas: 3 });
  const coder = ollama("qwen2.5-7b-instruct", { name: "coder", serverOf: "assistant" });
  const finder = ollama("bge-m3", { name: "finder", contextTokens: 1024, serverOf: "assistant" });
  const pool = poolOf("g6.xlarge", 4);
  const request = environmentOf([pool], [finder, host, coder]);

  it("claims GPUs and nodes once, and divides the cost of the server among them", () => {
    const plan = planDeployment(request);
    const alone = planDeployment(environmentOf([pool], [host]));
    expect(plan.problems).toEqual([]);
    const gpus = plan.pools.find(({ name }) => name === pool.name);
    expect(gpus).toMatchObject({ gpusClaimed: 2, minNodes: 2 });
    expect(plan.models.map(({ name, serverOf, resources }) => [name, serverOf, resources.gpus])).toEqual([
      ["finder", "assistant", 0],
      ["assistant", undefined, 1],
      ["coder", "assistant", 0],
    ]);
    const cost = plan.models.reduce((sum, { monthlyUsd }) => sum + monthlyUsd, 0);
    expect(cost).toBeCloseTo(alone.models[0]?.monthlyUsd ?? 0, 9);
    expect(plan.cost.monthlyUsd).toBe(alone.cost.monthlyUsd);
  });

  it("gives guests what a server has once, and the server what all of them take", () => {
    const { models: planned } = planDeployment(request);
    const [first, assistant, second] = planned;
    // Ollama takes one text at a time for embeddings.
    for (const [guest, concurrency] of [
      [first, 1],
      [second, 4],
    ] as const) {
      expect(guest).toMatchObject({ concurrency, minReplicas: 2, maxReplicas: 3, pool: assistant?.pool });
    }
    const storage = planned.reduce((sum, { modelStorageGiB }) => sum + modelStorageGiB, 0);
    expect(assistant?.server).toMatchObject({ models: ["assistant", "coder", "finder"], storageGiB: storage });
    expect(new Set(planned.map(({ startupBudgetSeconds }) => startupBudgetSeconds)).size).toBe(1);
    expect(assistant?.startupBudgetSeconds).toBeGreaterThan(
      planDeployment(environmentOf([pool], [host])).models[0]?.startupBudgetSeconds ?? Number.POSITIVE_INFINITY,
    );
  });

  it("is the same in whatever order they are declared", () => {
    const byName = (models: readonly ModelRequest[]) =>
      planDeployment(environmentOf([pool], models)).models.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    expect(byName([coder, finder, host])).toEqual(byName([host, finder, coder]));
  });

  it("is refused as one when they do not fit together, with the numbers of each, and what mends it", () => {
    const large = { ...coder, contextTokens: 32_768 };
    const busy = { ...host, concurrency: 12 };
    const plan = planWithAdvice(environmentOf([pool], [busy, large]));
    const [problem] = plan.problems;
    expect(plan.unplaced.map(({ name, rule }) => [name, rule])).toEqual([
      ["assistant", "model-fits"],
      ["coder", "model-fits"],
    ]);
    expect(problem?.message).toMatch(
      /assistant with 12 × 4096 tokens and coder with 12 × 32768 tokens on its server fit no/,
    );
    expect(problem?.message).toMatch(/of it assistant [\d.]+ GiB and up to [\d.]+ GiB more, coder [\d.]+ GiB/);
    const paths = problem?.fixes?.map(({ path }) => path) ?? [];
    expect(paths).toContain("models.coder.contextTokens");
    expect(plan.unplaced.every(({ nearest }) => nearest?.verdict.answer !== "fits")).toBe(true);
  });

  it("leaves a guest to a server of its own where that mends it", () => {
    const large = ollama("phi-4", { name: "coder", serverOf: "assistant", contextTokens: 8192, concurrency: 2 });
    const [problem] = planWithAdvice(
      environmentOf([poolOf("g6.xlarge", 8)], [{ ...host, concurrency: 8 }, large]),
    ).problems;
    expect(problem?.fixes?.map(({ path, to }) => [path, to])).toContainEqual(["models.coder.ollama.serverOf", null]);
  });

  it("refuses what Ollama cannot tell apart on one server", () => {
    const source = { kind: "ollama", tag: "registry:tag" } as const;
    const twice = planDeployment(
      environmentOf(
        [pool],
        [
          { ...host, source },
          { ...coder, source },
        ],
      ),
    );
    expect(twice.problems.map(({ rule, subject }) => [rule, subject])).toEqual([["shared-server", "models.assistant"]]);
    const named = planDeployment(environmentOf([pool], [host, { ...coder, servedName: "llama-3.2-3b-instruct" }]));
    expect(named.problems[0]?.message).toContain(
      'models.coder.servedName is "llama-3.2-3b-instruct", which on this server is the source of models.assistant',
    );
  });

  it.each([
    ["llama3.2", "llama3.2:latest"],
    ["registry.example.com:5000/llama3.2", "registry.example.com:5000/llama3.2:latest"],
    ["registry.example.com:5000/team/llama3.2", "registry.example.com:5000/team/llama3.2:latest"],
  ])("knows that Ollama takes %s for %s", (short, full) => {
    const tagged = (model: ModelRequest, tag: string) => ({ ...model, source: { kind: "ollama", tag } as const });
    const rules = (one: string, other: string) =>
      planDeployment(environmentOf([pool], [tagged(host, one), tagged(coder, other)])).problems.map(({ rule }) => rule);
    expect(rules(short, full)).toEqual(["shared-server"]);
    expect(rules(short, full.replace("latest", "instruct"))).toEqual([]);
  });
});
