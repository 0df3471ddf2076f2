/** Requests that run at once, of models whose layers keep a state of each. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gpuModels, onPremNode } from "../../catalog/shapes";
import { estimateMemory } from "../../engines/estimate";
import { kvLayout } from "../../engines/vllm/memory/kv-groups";
import { schedulerDefaults } from "../../engines/vllm/memory/scheduler-defaults";
import { vllmConstants } from "../../engines/vllm/memory/versions";
import { BYTES_PER_GIB } from "../../names/units";
import { layerCaches } from "../../planner/memory/kv-cache";
import { planDeployment } from "../../planner/plan";
import { environmentOf, modelOf, poolOf } from "./fixtures";
import { fixtureArchitecture } from "./model/fixtures";

const nemotron = fixtureArchitecture("nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16");

const large = gpuModels.filter(({ vendor, engineMemoryGiB }) => vendor === "nvidia" && engineMemoryGiB > 70);

const anyQuestion = fc.record({
  gpu: fc.constantFrom(...large),
  gpuCount: fc.constantFrom(1, 2, 4),
  concurrency: fc.integer({ min: 1, max: 64 }),
  contextTokens: fc.constantFrom(4096, 32_768, 131_072),
  engineVersion: fc.constantFrom("0.19.1", "0.20.0", "0.28.0", "0.33.0"),
  maxNumSeqs: fc.option(fc.integer({ min: 1, max: 2048 }), { nil: undefined }),
});

function planFor({ gpu, gpuCount, ...model }: typeof anyQuestion extends fc.Arbitrary<infer T> ? T : never) {
  const shape = onPremNode({
    card: "custom",
    gpuMemoryGiB: gpu.engineMemoryGiB,
    gpuCount,
    vcpus: 64,
    memoryGiB: 512,
    localNvmeGB: 0,
    networkGbps: 10,
  });
  const machine = { ...shape, gpu: shape.gpu && { ...shape.gpu, ...gpu } };
  const asked = modelOf("nemotron-3-nano-30b-a3b", { ...model, architecture: nemotron });
  return {
    plan: planDeployment(environmentOf([poolOf("VM.GPU.A10.2", 2, { shape: machine })], [asked])),
    gpu,
  };
}

type Planned = ReturnType<typeof planFor>["plan"]["models"][number];
type Gpu = (typeof large)[number];

/** What the engine takes where no limit of sequences is rendered. */
function defaultSequences({ engineMemoryGiB, model }: Gpu, { engineVersion }: Planned): number {
  return schedulerDefaults(engineMemoryGiB, vllmConstants(engineVersion).constants, model).maxNumSeqs;
}

/** Pages of the pool that the engine is estimated to have, by its own layout; releases before 0.20.0 ask for none. */
function statePages({ engineMemoryGiB, model }: Gpu, planned: Planned): number {
  const { constants } = vllmConstants(planned.engineVersion);
  const { contextTokens, concurrency, maxNumSeqs, kvCacheDtype, tensorParallel, pipelineParallel } = planned;
  const layout = kvLayout(layerCaches(nemotron, kvCacheDtype, tensorParallel), constants);
  if (layout === undefined || !constants.statePageOfEachSequence) {
    return Number.POSITIVE_INFINITY;
  }
  const { kvPoolGiB } = estimateMemory({
    architecture: nemotron,
    engine: { name: "vllm", version: planned.engineVersion },
    gpuMemoryGiB: engineMemoryGiB,
    gpuModel: model,
    utilization: planned.gpuMemoryUtilization,
    ...{ contextTokens, concurrency, maxNumSeqs, kvCacheDtype, tensorParallel, pipelineParallel },
  });
  return Math.floor((kvPoolGiB * BYTES_PER_GIB) / layout.pageBytes);
}

describe("plans of models with recurrent layers", () => {
  it("let no more requests run at once than the memory has places for", () => {
    let planned = 0;
    fc.assert(
      fc.property(anyQuestion, (question) => {
        const { plan, gpu } = planFor(question);
        for (const model of plan.models) {
          planned += 1;
          const { contextTokens, concurrency, maxNumSeqs, kvCacheDtype, tensorParallel, pipelineParallel } = model;
          expect(model.verdict.answer).toBe("fits");
          expect(maxNumSeqs ?? concurrency).toBeGreaterThanOrEqual(
            Math.min(concurrency, question.maxNumSeqs ?? concurrency),
          );
          const { verdict } = estimateMemory({
            architecture: nemotron,
            engine: { name: "vllm", version: model.engineVersion },
            gpuMemoryGiB: gpu.engineMemoryGiB,
            gpuModel: gpu.model,
            utilization: model.gpuMemoryUtilization,
            ...{ contextTokens, concurrency, maxNumSeqs, kvCacheDtype, tensorParallel, pipelineParallel },
          });
          expect(verdict.decides).not.toBe("recurrent states");
          expect(maxNumSeqs ?? defaultSequences(gpu, model)).toBeLessThanOrEqual(statePages(gpu, model));
        }
      }),
    );
    expect(planned).toBeGreaterThan(0);
  });

  it("let as many run at once as it has, to a thirty-second, and keep to the default where that fits", () => {
    const planned = (engineMemoryGiB: number) => {
      const [gpu] = large.filter(({ model }) => model === "NVIDIA H100 80GB SXM");
      const { plan } = planFor({
        gpu: { ...(gpu ?? large[0]), engineMemoryGiB } as (typeof large)[number],
        gpuCount: 1,
        concurrency: 4,
        contextTokens: 4096,
        engineVersion: "0.33.0",
        maxNumSeqs: undefined,
      });
      return plan.models[0];
    };
    const model = planned(79.19);
    const most = model?.maxNumSeqs ?? 0;
    const answerFor = (maxNumSeqs: number) =>
      estimateMemory({
        architecture: nemotron,
        engine: { name: "vllm", version: "0.33.0" },
        gpuMemoryGiB: 79.19,
        gpuModel: "NVIDIA H100 80GB SXM",
        kvCacheDtype: "auto",
        ...{ contextTokens: 4096, concurrency: 4, tensorParallel: 1, pipelineParallel: 1, maxNumSeqs },
      }).verdict.answer;
    expect(most).toBeGreaterThan(256);
    expect(answerFor(most)).toBe("fits");
    expect(answerFor(Math.ceil(most * (1 + 1 / 16)))).not.toBe("fits");
    expect(planned(139.8)?.maxNumSeqs).toBeUndefined();
  });
});
