import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateMemory } from "../../../engines/estimate";
import { parallelismProblems } from "../../../engines/vllm/divisibility";
import { schedulerDefaults } from "../../../engines/vllm/memory/scheduler-defaults";
import { vllmConstants } from "../../../engines/vllm/memory/versions";
import { allocatedBytes } from "../../../engines/vllm/memory/weights";
import { compareVersions } from "../../../names/versions";
import { capacityRow, capacityRows } from "../../../planner/memory/capacity-table";
import { pipelineStages } from "../../../planner/memory/pipeline";
import { explainDifference, fiveStepRule } from "../../../planner/memory/sizing-rule";
import { readModelConfig } from "../../../planner/model/config-json";
import { memoryRequest } from "../../engines/requests";
import { fixtureArchitecture, fixtureConfig } from "../model/fixtures";

const mebibyte = 2 ** 20;

describe("parallelismProblems", () => {
  it("accepts what runs", () => {
    expect(parallelismProblems(fixtureArchitecture("meta-llama--Llama-3.1-8B"), 8, 4)).toEqual([]);
    expect(parallelismProblems(fixtureArchitecture("deepseek-ai--DeepSeek-V3"), 8, 2)).toEqual([]);
    expect(parallelismProblems(fixtureArchitecture("openai--gpt-oss-20b"), 4, 1)).toEqual([]);
  });

  it("names the heads that cannot be divided", () => {
    expect(parallelismProblems(fixtureArchitecture("Qwen--Qwen2.5-7B-Instruct"), 8, 1)).toContain(
      "TP 8 does not divide the 28 attention heads",
    );
  });

  it("knows that 10 KV heads take neither 4 nor 8 GPUs", () => {
    const phi4 = fixtureArchitecture("microsoft--phi-4");
    expect(parallelismProblems(phi4, 2, 1)).toEqual([]);
    expect(parallelismProblems(phi4, 4, 1)).toEqual(["TP 4 neither divides nor is a multiple of the 10 KV heads"]);
  });

  it("refuses more stages than layers", () => {
    expect(parallelismProblems(fixtureArchitecture("meta-llama--Llama-3.1-8B"), 1, 33)[0]).toContain("32 layers");
  });

  it.each([2, 3, 24])("refuses to cut an encoder into %i stages", (stages) => {
    expect(parallelismProblems(fixtureArchitecture("BAAI--bge-m3"), 1, stages)).toEqual([
      `PP ${stages}: vLLM cuts no encoder into stages, use 1`,
    ]);
  });

  it("keeps groups of 4-bit weights whole: Qwen2.5-72B AWQ on four GPUs", () => {
    const qwen72b = readModelConfig({
      ...fixtureConfig("Qwen--Qwen2.5-32B-Instruct"),
      hidden_size: 8192,
      intermediate_size: 29568,
      num_hidden_layers: 80,
      num_attention_heads: 64,
    });
    expect(parallelismProblems(qwen72b, 4, 1)).toEqual([]);
    expect(parallelismProblems(qwen72b, 2, 1, "awq").join()).toContain("14784");
    expect(parallelismProblems(qwen72b, 4, 1, "awq").join()).toContain("into 7392, no multiple of the 128");
  });

  it("keeps fp8 blocks whole: expert width 1536 in blocks of 128", () => {
    const qwen = fixtureArchitecture("Qwen--Qwen3-235B-A22B-FP8");
    expect(parallelismProblems(qwen, 4, 1)).toEqual([]);
    expect(parallelismProblems(qwen, 8, 1).join()).toContain("1536 of mlp.experts.gate_proj into 192");
    expect(parallelismProblems(fixtureArchitecture("Qwen--Qwen3-235B-A22B"), 8, 1)).toEqual([]);
  });

  it("checks widths and the padded vocabulary", () => {
    const problems = parallelismProblems(fixtureArchitecture("Qwen--Qwen3-8B"), 3, 1).join();
    expect(problems).toContain("TP 3 does not divide the vocabulary of 151936, padded to 151936");
    expect(parallelismProblems(fixtureArchitecture("meta-llama--Llama-3.2-3B-Instruct"), 3, 1).join()).toContain(
      "width 8192 of mlp.gate_proj",
    );
  });

  it("never objects to one GPU", () => {
    for (const name of [
      "meta-llama--Llama-3.1-8B",
      "Qwen--Qwen3-4B-AWQ",
      "zai-org--GLM-4.5",
      "moonshotai--Kimi-K2.5",
    ]) {
      expect(parallelismProblems(fixtureArchitecture(name), 1, 1)).toEqual([]);
    }
  });
});

describe("fiveStepRule", () => {
  it("reproduces the worked example: 70 B in 16 bits needs 168 GB, two nodes of four 24 GB cards", () => {
    const rule = fiveStepRule({ parametersB: 70, bits: 16, shapeGpuMemoryGB: 96 });
    expect(rule.memoryGB).toBeCloseTo(168, 9);
    expect(rule.nodes).toBe(2);
    expect(rule.steps.map((step) => step.text)).toEqual([
      "parameters of the model: 70 billion",
      "precision: 16 bits per parameter",
      "GPU memory: 70 × 4 bytes / (32 / 16) × 1.2 = 168 GB",
      "GPU memory of one node of the shape: 96 GB",
      "nodes: ⌈168 / 96⌉ = 2",
    ]);
  });

  it.each([
    [70, 4, 42],
    [3, 16, 7.2],
    [405, 16, 972],
  ])("%d B in %d bits needs %d GB", (parametersB, bits, memoryGB) => {
    expect(fiveStepRule({ parametersB, bits, shapeGpuMemoryGB: 80 }).memoryGB).toBeCloseTo(memoryGB, 9);
  });

  it("does not add a node for rounding", () => {
    expect(fiveStepRule({ parametersB: 70, bits: 16, shapeGpuMemoryGB: 168 }).nodes).toBe(1);
  });

  it("refuses numbers that are not above 0", () => {
    expect(() => fiveStepRule({ parametersB: 70, bits: 0, shapeGpuMemoryGB: 96 })).toThrow(/bits must be above 0/);
  });

  it("says with numbers why the exact figure differs", () => {
    const estimate = estimateMemory(
      memoryRequest(fixtureArchitecture("meta-llama--Llama-3.1-70B"), {
        gpuMemoryGiB: 22.49,
        gpuModel: "NVIDIA A10",
        tensorParallel: 4,
        pipelineParallel: 3,
        concurrency: 16,
      }),
    );
    const rule = fiveStepRule({ parametersB: 70.55, bits: 16, shapeGpuMemoryGB: 96 });
    const exact = {
      tensorParallel: 4,
      pipelineParallel: 3,
      nodesPerReplica: 3,
      gpusPerNode: 4,
      estimate,
      concurrency: 16,
      contextTokens: 8192,
    };
    const text = explainDifference(rule, exact);
    expect(text).toContain("the rule needs 2 node(s) for 169.3 GB, the exact figure 3");
    expect(text).toMatch(/weights: the rule counts 141.1 GB, loaded they take 14\d(\.\d)? GB on 12 GPU\(s\)/);
    expect(text).toContain("16 requests of 8192 tokens");
    expect(text).toMatch(/utilization\)$/);
  });
});

describe("capacityRow", () => {
  it("is the published table", () => {
    expect(capacityRows.map((row) => [row.parametersB, row.minGpuMemoryGB, row.gpus])).toEqual([
      [7, 8, 1],
      [13, 12, 1],
      [34, 24, 1],
      [70, 48, 2],
    ]);
  });

  it.each([
    [3.2, 7],
    [7.6, 7],
    [14.7, 13],
    [32.8, 34],
    [70.6, 70],
  ])("%d billion parameters belong to the class of %d", (parametersB, size) => {
    expect(capacityRow(parametersB)?.parametersB).toBe(size);
  });

  it("has nothing to say above the table", () => {
    expect(capacityRow(405)).toBeUndefined();
  });
});

describe("pipelineStages", () => {
  it("gives the remainder to the middle, never to the last stage", () => {
    const sizes = (layers: number, stages: number) =>
      pipelineStages(layers, stages).map((stage) => stage.endLayer - stage.firstLayer);
    expect(sizes(32, 4)).toEqual([8, 8, 8, 8]);
    expect(sizes(61, 4)).toEqual([15, 15, 16, 15]);
    expect(sizes(62, 4)).toEqual([15, 16, 16, 15]);
    expect(sizes(63, 2)).toEqual([32, 31]);
  });

  it("covers every layer once, in order", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 16 }), (layers, wanted) => {
        const stages = pipelineStages(layers, Math.min(wanted, layers));
        expect(stages[0]?.firstLayer).toBe(0);
        expect(stages.at(-1)?.endLayer).toBe(layers);
        for (const [index, stage] of stages.slice(1).entries()) {
          expect(stage.firstLayer).toBe(stages[index]?.endLayer);
        }
        expect(stages.every((stage) => stage.endLayer > stage.firstLayer)).toBe(true);
      }),
    );
  });
});

describe("engine constants", () => {
  it("picks the newest entry that is not newer", () => {
    expect(vllmConstants("0.20.2rc1.dev9").constants.from).toBe("0.20.1");
    expect(vllmConstants("0.19.1").constants.from).toBe("0.18.0");
    expect(vllmConstants("v0.21.0").constants.from).toBe("0.21.0");
    expect(vllmConstants("0.5.0").constants.from).toBe("0.8.0");
    expect(vllmConstants("latest").constants.from).toBe("0.33.0");
  });

  it("orders versions by number, not by text", () => {
    expect(compareVersions("0.9.0", "0.10.0")).toBeLessThan(0);
    expect(compareVersions("0.33", "0.33.0")).toBe(0);
  });

  it("knows the sampler by version and, up to 0.11.0, by where vLLM comes from", () => {
    const samplers = (version: string) => Object.values(vllmConstants(version).constants.sampler);
    expect(samplers("0.11.0")).toEqual(["flashinfer", "sort"]);
    expect(samplers("0.11.1")).toEqual(["sort", "sort"]);
    expect(samplers("0.16.0")).toEqual(["sort", "sort"]);
    expect(samplers("0.17.0")).toEqual(["triton", "triton"]);
    expect(samplers("0.20.2")).toEqual(["triton", "triton"]);
    expect(samplers("0.21.0")).toEqual(["flashinfer", "flashinfer"]);
  });

  it("has vLLM's dates: graphs and 0.92 in 0.20.0, request capacity in 0.20.1, close layer counts in 0.18.0", () => {
    const dated = (version: string) => {
      const { cudaGraphsInPool, defaultUtilization, reportsRequestCapacity, groupSizeTolerance } =
        vllmConstants(version).constants;
      return [cudaGraphsInPool.v1, defaultUtilization, reportsRequestCapacity, groupSizeTolerance];
    };
    expect(dated("0.17.1")).toEqual([[], 0.9, false, 1.25]);
    expect(dated("0.19.1")).toEqual([[], 0.9, false, 1.5]);
    expect(dated("0.20.0")).toEqual([["nvidia"], 0.92, false, 1.5]);
    expect(dated("0.20.1")).toEqual([["nvidia"], 0.92, true, 1.5]);
    expect(dated("0.33.0")).toEqual([["nvidia", "amd"], 0.92, true, 1.5]);
  });

  it("knows the scheduler's defaults by card", () => {
    const { constants } = vllmConstants("0.33.0");
    const defaults = (gpuMemoryGiB: number, gpuModel?: string) => schedulerDefaults(gpuMemoryGiB, constants, gpuModel);
    expect(defaults(79.19, "NVIDIA H100 80GB HBM3")).toEqual({ maxNumSeqs: 1024, maxNumBatchedTokens: 8192 });
    expect(defaults(79.25, "NVIDIA A100-SXM4-80GB")).toEqual({ maxNumSeqs: 256, maxNumBatchedTokens: 2048 });
    expect(defaults(44.42)).toEqual({ maxNumSeqs: 256, maxNumBatchedTokens: 2048 });
    expect(defaults(178)).toEqual({ maxNumSeqs: 1024, maxNumBatchedTokens: 16384 });
  });

  it("gives a B200 8,192 batched tokens before 0.28.0, and 16,384 from there", () => {
    const tokens = (version: string) =>
      schedulerDefaults(178.35, vllmConstants(version).constants, "NVIDIA B200").maxNumBatchedTokens;
    expect([tokens("0.19.0"), tokens("0.27.1"), tokens("0.28.0")]).toEqual([8192, 8192, 16384]);
  });
});

describe("allocatedBytes", () => {
  it("rounds like PyTorch's allocator", () => {
    expect(allocatedBytes(1)).toBe(512);
    expect(allocatedBytes(9 * mebibyte)).toBe(9 * mebibyte);
    expect(allocatedBytes(11 * mebibyte)).toBe(12 * mebibyte);
    expect(allocatedBytes(10.5 * mebibyte)).toBe(10.5 * mebibyte);
  });

  it("never gives less than asked for, nor more than 1 MiB extra", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 34 }), (bytes) => {
        expect(allocatedBytes(bytes)).toBeGreaterThanOrEqual(bytes);
        expect(allocatedBytes(bytes) - bytes).toBeLessThanOrEqual(mebibyte);
      }),
    );
  });
});
