import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { modelNames } from "../../catalog/models";
import { weightKinds } from "../../engines/vllm/weight-formats";
import { planDeployment } from "../../planner/plan";
import type { ModelRequest } from "../../planner/request";
import { modelFilesGB, modelStorageGiB, storedModels } from "../../planner/storage";
import type { DeploymentPlan, ModelPlan, ModelSource } from "../../planner/types";
import { atNight } from "../harness/property-runs";
import { environmentOf, modelOf, poolOf } from "./fixtures";

const weightsGB = fc.double({ min: 0, max: 5000, noNaN: true });
const MADE_AT_LOAD = weightKinds.flatMap(({ madeAtLoad }) => madeAtLoad);

function planOn(shape: string, nodes: number, model: ModelRequest): { plan: DeploymentPlan; model: ModelPlan } {
  const plan = planDeployment(environmentOf([poolOf(shape, nodes)], [model]));
  const [placed] = plan.models;
  if (!placed || plan.models.length !== 1) {
    throw new Error(plan.problems.map(({ message }) => message).join("\n"));
  }
  return { plan, model: placed };
}

describe("modelStorageGiB", () => {
  it("is at least 1.5 times the model's bytes, in whole GiB, and at most one GiB more above the smallest volume", () => {
    fc.assert(
      fc.property(weightsGB, (size) => {
        const volume = modelStorageGiB(size);
        const least = (1.5 * size * 1e9) / 2 ** 30;
        expect(volume).toBeGreaterThanOrEqual(least);
        expect(volume).toBeLessThan(Math.max(2, least) + 1);
        expect(Number.isInteger(volume)).toBe(true);
      }),
    );
  });

  it("never falls with more bytes", () => {
    fc.assert(
      fc.property(weightsGB, weightsGB, (a, b) => {
        expect(modelStorageGiB(Math.max(a, b))).toBeGreaterThanOrEqual(modelStorageGiB(Math.min(a, b)));
      }),
    );
  });
});

describe("storedModels", () => {
  it("are those that engines read from the bucket, and none that Ollama pulls from its registry", () => {
    const hub = { source: { kind: "huggingface", repository: "org/model", revision: "main" } } as const;
    const bucket = { source: { kind: "bucket", uri: "s3://bucket/model" } } as const;
    const registry = { source: { kind: "ollama", tag: "llama3.2:3b" } } as const;
    expect(storedModels<{ source: ModelSource }>([hub, registry, bucket])).toEqual([hub, bucket]);
  });
});

describe("a model's files", () => {
  it("are the checkpoint's own where vLLM makes the format when it loads them (docs/environments/edge-nvidia.md)", () => {
    const { plan, model } = planOn("g6.xlarge", 1, modelOf("qwen3-8b", { quantization: "fp8", concurrency: 4 }));
    expect(model.loadAs).toEqual({ quantization: "fp8" });
    expect(model.weightsGB).toBeCloseTo(16.38, 2);
    // A volume of 14 GiB, of 9.4 GB, held 15.3 GiB of files.
    expect(model.modelStorageGiB).toBe(23);
    expect(model.resources.ephemeralStorageGiB).toBe(33);
    expect(plan.storage.sizeGiB).toBe(23);
    expect(model.memoryPerGpu.weightsGiB).toBeLessThan(10);
  });

  it("are those of a number type only where the checkpoint has it", () => {
    const single = planOn("g6e.12xlarge", 1, modelOf("qwen3-8b", { quantization: "fp32" })).model;
    expect(single.loadAs).toEqual({ dtype: "float32" });
    expect(single.weightsGB).toBeCloseTo(16.38, 2);
  });

  it("are the written format's where another source has it, and those of the build for Ollama", () => {
    const written = modelOf("llama-3.3-70b-instruct", { quantization: "awq", configIsOfAnotherSource: true });
    expect(modelFilesGB(written)).toBeCloseTo(39.77, 1);
    const llama = modelOf("llama-3.3-70b-instruct", { quantization: "fp8" });
    expect(modelFilesGB(llama)).toBeCloseTo(141.11, 1);
    const build = { engine: "ollama", engineVersion: "0.32.15", quantization: "Q4_K_M" } as const;
    expect(modelFilesGB(modelOf("phi-4", build))).toBeCloseTo(8.89, 2);
  });

  it("are copied in whole to every node of a replica", () => {
    const { model } = planOn("BM.GPU.H100.8", 2, modelOf("llama-3.1-405b-instruct"));
    expect(model.nodesPerReplica).toBe(2);
    expect(model.weightsGB).toBeCloseTo(811.7, 0);
    expect(model.resources.ephemeralStorageGiB).toBe(10 + model.modelStorageGiB);
  });

  it("decide download, volumes and start-up, whatever is made of them at load", () => {
    const pool = "p5.48xlarge";
    const sized = ({ plan, model }: ReturnType<typeof planOn>) => ({
      weightsGB: model.weightsGB,
      modelStorageGiB: model.modelStorageGiB,
      ephemeralStorageGiB: model.resources.ephemeralStorageGiB,
      startupBudgetSeconds: model.startupBudgetSeconds,
      storeGiB: plan.storage.sizeGiB,
    });
    const bases = ["llama-3.2-3b-instruct", "qwen3-8b", "phi-4", "qwen3-30b-a3b", "llama-3.3-70b-instruct"];
    fc.assert(
      fc.property(
        fc.constantFrom(...bases),
        fc.constantFrom(...MADE_AT_LOAD, "bf16", "fp16", "fp32"),
        fc.constantFrom("copy" as const, "stream" as const),
        (name, quantization, loading) => {
          const own = planOn(pool, 1, modelOf(name, { loading }));
          const made = planOn(pool, 1, modelOf(name, { loading, quantization }));
          expect(sized(made)).toEqual(sized(own));
        },
      ),
      { numRuns: atNight(40) },
    );
  });

  it("are the same for every model of the catalogue, with each format that its checkpoint can be loaded as", () => {
    for (const name of modelNames()) {
      // A name that states a format says of files that they have it.
      const own = modelOf(name, { source: { kind: "huggingface", repository: "org/model", revision: "main" } });
      for (const quantization of MADE_AT_LOAD) {
        expect([name, modelFilesGB({ ...own, quantization })]).toEqual([name, modelFilesGB(own)]);
      }
    }
  });
});
