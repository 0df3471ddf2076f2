import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planDeployment } from "../../planner/plan";
import type { ModelRequest, PlanRequest } from "../../planner/request";
import type { DeploymentPlan } from "../../planner/types";
import { atNight } from "../harness/property-runs";
import { environmentOf, modelOf, poolOf } from "./fixtures";

const catalogueModels = [
  "llama-3.2-3b-instruct",
  "qwen2.5-7b-instruct",
  "bge-m3",
  "gpt-oss-20b",
  "qwen3-30b-a3b",
  "llama-3.3-70b-instruct",
].map((name) => modelOf(name));
const poolShapes = [
  "p5.48xlarge",
  "g6e.12xlarge",
  "g6e.xlarge",
  "g6.xlarge",
  "BM.GPU.A10.4",
  "VM.GPU.A10.2",
  "m7i.4xlarge",
];

const anyModel = fc
  .record({
    base: fc.constantFrom(...catalogueModels),
    engine: fc.constantFrom("vllm" as const, "vllm" as const, "ollama" as const),
    contextTokens: fc.integer({ min: 1, max: 8192 }),
    concurrency: fc.integer({ min: 1, max: 64 }),
    minReplicas: fc.nat(3),
    moreReplicas: fc.nat(2),
    kvCacheDtype: fc.constantFrom("auto" as const, "fp8" as const),
  })
  .map(
    ({ base, moreReplicas, engine, ...changes }): ModelRequest => ({
      ...base,
      ...changes,
      engine,
      ...(engine === "ollama" && { engineVersion: "0.32.15", quantization: "Q4_K_M" }),
      maxReplicas: Math.max(1, changes.minReplicas + moreReplicas),
    }),
  );
const anyPools = fc
  .uniqueArray(
    fc.record({ shape: fc.constantFrom(...poolShapes), maxNodes: fc.integer({ min: 1, max: 5 }), minNodes: fc.nat(1) }),
    {
      minLength: 1,
      maxLength: 3,
      selector: ({ shape }) => shape,
    },
  )
  .map((rows) => rows.map(({ shape, maxNodes, minNodes }) => poolOf(shape, maxNodes, { minNodes })));
const environments = (maxModels: number): fc.Arbitrary<PlanRequest> =>
  fc
    .record({ pools: anyPools, models: fc.array(anyModel, { minLength: 1, maxLength: maxModels }) })
    .map(({ pools, models }) =>
      environmentOf(
        pools,
        models.map((model, i) => ({ ...model, name: `model-${i}` })),
      ),
    );

const runs = { numRuns: atNight(60) };
const isDeployable = (plan: DeploymentPlan) => plan.problems.every((p) => p.severity === "advisory");

describe("every plan", () => {
  it("gives each model memory within its limit, the parts of which add up", () => {
    fc.assert(
      fc.property(environments(5), (request) => {
        for (const { memoryPerGpu: memory } of planDeployment(request).models) {
          expect(memory.totalGiB).toBeLessThanOrEqual(memory.limitGiB);
          expect(memory.weightsGiB + memory.kvCacheGiB + memory.overheadGiB).toBeCloseTo(memory.totalGiB, 6);
        }
      }),
      runs,
    );
  });

  it("divides attention heads evenly, and gives every stage a layer", () => {
    fc.assert(
      fc.property(environments(5), (request) => {
        for (const placed of planDeployment(request).models) {
          const { tensorParallel, pipelineParallel, gpusPerNode, nodesPerReplica } = placed;
          const architecture = request.models.find((m) => m.name === placed.name)?.architecture;
          const heads =
            architecture?.layerSpecs.flatMap(({ mixer }) => (mixer.kind === "attention" ? [mixer.heads] : [])) ?? [];
          expect(heads.length).toBeGreaterThan(0);
          expect(heads.every((count) => count % tensorParallel === 0)).toBe(true);
          expect(pipelineParallel).toBeLessThanOrEqual(architecture?.layers ?? 0);
          expect(gpusPerNode === 0 || tensorParallel * pipelineParallel === gpusPerNode * nodesPerReplica).toBe(true);
        }
      }),
      runs,
    );
  });

  it("keeps every pool between its least and most nodes, and claims no more GPUs than they have", () => {
    fc.assert(
      fc.property(environments(8), (request) => {
        const plan = planDeployment(request);
        for (const [i, pool] of plan.pools.entries()) {
          expect(pool.minNodes).toBeGreaterThanOrEqual(request.pools[i]?.minNodes ?? Number.NaN);
          expect(pool.minNodes).toBeLessThanOrEqual(pool.maxNodes);
          expect(pool.gpusClaimed).toBeLessThanOrEqual(pool.gpusTotal);
          const here = plan.models.filter((m) => m.pool === pool.name);
          const claimed = here.reduce((sum, m) => sum + m.resources.gpus * m.nodesPerReplica * m.minReplicas, 0);
          expect(pool.gpusClaimed).toBe(claimed);
        }
      }),
      runs,
    );
  });

  it("places a model, or says why not", () => {
    fc.assert(
      fc.property(environments(8), (request) => {
        const plan = planDeployment(request);
        const placed = plan.models.map((m) => m.name);
        for (const { name } of request.models) {
          const reasons = plan.problems.filter((p) => p.severity === "mandatory" && p.subject === `models.${name}`);
          expect(placed.includes(name) || reasons.length > 0).toBe(true);
        }
      }),
      runs,
    );
  });

  it("costs what its pools cost, and charges models no more than that", () => {
    fc.assert(
      fc.property(environments(6), (request) => {
        const { pools, models, cost } = planDeployment(request);
        const sum = (values: readonly { readonly monthlyUsd: number }[]) =>
          values.reduce((total, v) => total + v.monthlyUsd, 0);
        expect(sum(pools)).toBeCloseTo(cost.monthlyUsd, 4);
        expect(sum(models)).toBeLessThanOrEqual(cost.monthlyUsd + 1e-6);
      }),
      runs,
    );
  });

  it("does not depend on the order of models", () => {
    const reordered = environments(6).chain((request) =>
      fc.tuple(
        fc.constant(request),
        fc.shuffledSubarray([...request.models], {
          minLength: request.models.length,
          maxLength: request.models.length,
        }),
      ),
    );
    fc.assert(
      fc.property(reordered, ([request, models]) => {
        const [plan, shuffled] = [planDeployment(request), planDeployment({ ...request, models })];
        expect(shuffled.cost).toEqual(plan.cost);
        expect(shuffled.pools).toEqual(plan.pools);
        const byName = (p: DeploymentPlan) => [...p.models].sort((a, b) => (a.name < b.name ? -1 : 1));
        expect(byName(shuffled)).toEqual(byName(plan));
      }),
      { numRuns: atNight(30) },
    );
  });

  it("never gets cheaper when a model asks for more context, requests or replicas", () => {
    const grown = environments(4).chain((request) =>
      fc.record({
        request: fc.constant(request),
        at: fc.nat(request.models.length - 1),
        contextTokens: fc.nat(8192),
        concurrency: fc.nat(64),
        minReplicas: fc.nat(1),
      }),
    );
    fc.assert(
      fc.property(grown, ({ request, at, contextTokens, concurrency, minReplicas }) => {
        const models = request.models.map((m, i) =>
          i === at
            ? {
                ...m,
                contextTokens: Math.min(8192, m.contextTokens + contextTokens),
                concurrency: m.concurrency + concurrency,
                minReplicas: m.minReplicas + minReplicas,
                maxReplicas: m.maxReplicas + minReplicas,
              }
            : m,
        );
        const [before, after] = [planDeployment(request), planDeployment({ ...request, models })];
        if (isDeployable(before) && isDeployable(after)) {
          expect(after.cost.monthlyUsd).toBeGreaterThanOrEqual(before.cost.monthlyUsd - 1e-6);
        }
        const placedBefore = new Set(before.models.map((m) => m.name));
        expect(after.problems.filter((p) => p.rule === "model-fits").length).toBeGreaterThanOrEqual(
          before.problems.filter((p) => p.rule === "model-fits").length,
        );
        expect(placedBefore.size).toBeGreaterThanOrEqual(after.models.length);
      }),
      { numRuns: atNight(40) },
    );
  });

  it("answers for a thousand models", () => {
    const models = Array.from({ length: 1000 }, (_, i) => ({
      ...modelOf("qwen2.5-7b-instruct"),
      name: `model-${i}`,
      concurrency: 1 + (i % 8),
    }));
    const plan = planDeployment(environmentOf([poolOf("g6e.12xlarge", 500), poolOf("p5.48xlarge", 100)], models));
    expect(plan.models).toHaveLength(1000);
    expect(plan.pools.find((p) => p.name === "g6e-12xlarge")).toMatchObject({ minNodes: 250, gpusClaimed: 1000 });
  });
});
