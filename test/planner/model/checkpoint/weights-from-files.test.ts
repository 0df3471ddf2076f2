import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateVllm } from "../../../../engines/vllm/memory/estimate";
import { kvCacheBytesPerToken } from "../../../../planner/memory/kv-cache";
import type { ModelArchitecture } from "../../../../planner/model/architecture";
import { readModelConfig } from "../../../../planner/model/config-json";
import { countParameters, weightBytes } from "../../../../planner/model/parameters";
import { planDeployment } from "../../../../planner/plan";
import { cacheProblem } from "../../../../planner/problems";
import { modelFilesGB } from "../../../../planner/storage";
import { atNight } from "../../../harness/property-runs";
import { environmentOf, modelOf, poolOf } from "../../fixtures";
import { checkpointOf, configOf, type Dimensions, gptq, llama8b, llamaTensors, plain } from "./checkpoints";
import type { WrittenTensor } from "./safetensors";

const UNKNOWN = "zorblax";

function read(
  dimensions: Dimensions,
  tensors: readonly WrittenTensor[],
  modelType = UNKNOWN,
  more: Record<string, unknown> = {},
): ModelArchitecture {
  const config = { ...configOf(dimensions, modelType), ...more };
  return readModelConfig(config, { name: "m", checkpoint: checkpointOf(tensors) });
}

function weightsGiB(
  architecture: ModelArchitecture,
  tensorParallel = 1,
  pipelineParallel = 1,
  quantization?: string,
): readonly number[] {
  const estimate = estimateVllm({
    architecture,
    engine: { version: "0.33.0" },
    gpuMemoryGiB: 79.19,
    tensorParallel,
    pipelineParallel,
    contextTokens: 1024,
    concurrency: 1,
    kvCacheDtype: "auto",
    quantization,
  });
  return estimate.stages.map((stage) => stage.weightsGiB);
}

const small = fc.record({
  hidden: fc.constantFrom(256, 512),
  layers: fc.integer({ min: 1, max: 5 }),
  heads: fc.constantFrom(8, 16),
  kvHeads: fc.constantFrom(1, 2, 4, 8),
  headDim: fc.constantFrom(32, 64),
  width: fc.constantFrom(512, 1024),
  vocabulary: fc.integer({ min: 1000, max: 3000 }),
});

describe("a model type that no reader knows", () => {
  it("takes on each GPU what its twin of a known family takes, whatever the layout", () => {
    fc.assert(
      fc.property(small, fc.constantFrom(1, 2, 4, 8), fc.nat(), (dimensions, tensorParallel, stages) => {
        const pipelineParallel = 1 + (stages % dimensions.layers);
        const tensors = llamaTensors(dimensions);
        const known = read(dimensions, tensors, "llama");
        const unknown = read(dimensions, tensors);
        expect(weightsGiB(unknown, tensorParallel, pipelineParallel)).toEqual(
          weightsGiB(known, tensorParallel, pipelineParallel),
        );
        expect(countParameters(unknown)).toEqual(countParameters(known));
        expect(weightBytes(unknown)).toEqual(weightBytes(known));
        expect(kvCacheBytesPerToken(unknown)).toBe(kvCacheBytesPerToken(known));
      }),
      { numRuns: atNight(40) },
    );
  });

  it("is Llama-3.1-8B to the byte, in its own format and in one made at load", () => {
    const tensors = llamaTensors(llama8b);
    const [known, unknown] = [read(llama8b, tensors, "llama"), read(llama8b, tensors)];
    expect(countParameters(unknown).total).toBe(8_030_261_248);
    expect(weightBytes(unknown).checkpointBytes).toBe(16_060_522_496);
    for (const tensorParallel of [1, 2, 4, 8, 16]) {
      expect(weightsGiB(unknown, tensorParallel)).toEqual(weightsGiB(known, tensorParallel));
      expect(weightsGiB(unknown, tensorParallel, 1, "fp8")[0]).toBeCloseTo(
        weightsGiB(known, tensorParallel, 1, "fp8")[0] ?? 0,
        3,
      );
    }
  });

  it("counts packed weights by their bytes, and their parameters by what they unpack to", () => {
    const quantization_config = { quant_method: "gptq", bits: 4, group_size: 128 };
    const tensors = llamaTensors(llama8b, gptq);
    const architecture = read(llama8b, tensors, UNKNOWN, { quantization_config });
    const stored = architecture.checkpoint?.bytesByType ?? {};
    expect(Object.keys(stored)).toEqual(["I32", "BF16", "F16"]);
    expect(weightBytes(architecture).checkpointBytes).toBe(Object.values(stored).reduce((sum, bytes) => sum + bytes));
    expect(countParameters(architecture).total).toBe(8_030_261_248);
    expect(architecture.cacheDoubt).toBeUndefined();
  });

  it("counts float32 matrices as the model's type, which vLLM loads them as", () => {
    const [whole, half] = [plain("F32"), plain("BF16")].map((write) => read(llama8b, llamaTensors(llama8b, write)));
    if (!whole || !half) {
      throw new Error("two checkpoints were written");
    }
    expect(weightsGiB(whole)).toEqual(weightsGiB(half));
    expect(weightBytes(whole).checkpointBytes).toBeGreaterThan(1.8 * weightBytes(half).checkpointBytes);
  });

  it("never takes less for a name that no convention knows", () => {
    const renamed = llamaTensors(llama8b).map((tensor) => ({
      ...tensor,
      name: tensor.name.replace("mlp.gate_proj", "mlp.zorb"),
    }));
    const [plainly, oddly] = [read(llama8b, llamaTensors(llama8b)), read(llama8b, renamed)];
    const gate = (14336 * 4096 * 2 * 32) / 2 ** 30;
    expect((weightsGiB(oddly, 4)[0] ?? 0) - (weightsGiB(plainly, 4)[0] ?? 0)).toBeCloseTo((gate * 3) / 4, 2);
    expect(oddly.checkpoint?.notes.at(-1)).toBe(
      "32 matrices (3.76 GB) have names that no convention knows (model.layers.*.mlp.zorb.weight): they count whole on every tensor-parallel GPU",
    );
  });

  it("shares a table of tokens with the last stage where the files have no head", () => {
    const tied = llamaTensors(llama8b).filter(({ name }) => name !== "lm_head.weight");
    const [first = 0, last = 0] = weightsGiB(read(llama8b, tied), 1, 2);
    expect(last).toBeCloseTo(first, 2);
  });

  it("needs no key of config.json but the type's, with weights exact all the same", () => {
    const architecture = readModelConfig({ model_type: UNKNOWN }, { checkpoint: checkpointOf(llamaTensors(llama8b)) });
    expect(weightBytes(architecture).checkpointBytes).toBe(16_060_522_496);
    expect(architecture).toMatchObject({
      layers: 32,
      hiddenSize: 4096,
      vocabSize: 128256,
      cacheDoubt: "config.json does not say how many attention heads it has",
    });
  });
});

describe("the cache of a model type that no reader knows", () => {
  const replaced = (from: string, to: Partial<WrittenTensor>): WrittenTensor[] =>
    llamaTensors(llama8b).map((tensor) => (tensor.name === from ? { ...tensor, ...to } : tensor));
  const k = "model.layers.3.self_attn.k_proj.weight";

  it.each<[string, WrittenTensor[], Record<string, unknown>, string]>([
    [
      "keys of another shape",
      replaced(k, { shape: [512, 4096] }),
      {},
      `${k} has 512 outputs, and config.json states 1024`,
    ],
    [
      "a layer without keys",
      replaced(k, { name: "x" }),
      {},
      "layer 3 has no keys and values of a known name and shape",
    ],
    [
      "a state",
      [...llamaTensors(llama8b), { name: "model.layers.9.mamba.A_log", dtype: "F32", shape: [8] }],
      {},
      "model.layers.9.mamba.A_log belongs to another kind of attention or state",
    ],
    [
      "compressed keys",
      llamaTensors(llama8b),
      { kv_lora_rank: 512 },
      "its keys and values are compressed (kv_lora_rank), and what is cached of them depends on the engine's code",
    ],
    ["an encoder", llamaTensors(llama8b), { is_encoder_decoder: true }, "it has an encoder and a decoder"],
  ])("is not known with %s: no figure, and no plan", (_, tensors, more, doubt) => {
    const architecture = read(llama8b, tensors, UNKNOWN, more);
    expect(architecture.cacheDoubt).toBe(doubt);
    expect(kvCacheBytesPerToken(architecture)).toBe(0);
    const model = modelOf("llama-3.1-8b", { architecture });
    expect(cacheProblem(model)).toMatchObject({ severity: "mandatory", rule: "unknown-cache" });
    const plan = planDeployment(environmentOf([poolOf("p5.48xlarge", 1)], [model]));
    expect(plan.problems.map(({ rule }) => rule)).toContain("unknown-cache");
    expect(plan.models).toEqual([]);
  });

  it("is planned with where every layer agrees with config.json, and said to be derived", () => {
    const architecture = read(llama8b, llamaTensors(llama8b));
    const plan = planDeployment(environmentOf([poolOf("p5.48xlarge", 1)], [modelOf("llama-3.1-8b", { architecture })]));
    expect(plan.models[0]?.notes.join("\n")).toMatch(
      /no reader knows the model type zorblax(.|\n)*its KV cache is derived/,
    );
  });
});

describe("a model type that a reader knows", () => {
  it("is checked by the files: nothing to say where they agree", () => {
    expect(read(llama8b, llamaTensors(llama8b), "llama").checkpoint?.notes).toEqual([]);
  });

  it("may leave its layers for multi-token prediction out of the files", () => {
    const config = { ...configOf(llama8b, "mimo"), num_nextn_predict_layers: 1 };
    const checkpoint = checkpointOf(llamaTensors(llama8b));
    const notes = (json: Record<string, unknown>) => readModelConfig(json, { checkpoint }).checkpoint?.notes;
    expect(notes(config)).toEqual(notes({ ...config, num_nextn_predict_layers: 0 }));
  });

  it("is counted by config.json, with both figures and the tensors that differ", () => {
    const files = llamaTensors({ ...llama8b, width: 11008 });
    expect(read(llama8b, files, "llama").checkpoint?.notes).toEqual([
      "the files hold 13.443 GB of tensors, and config.json states 16.061 GB: check that they belong together; the plan counts by config.json; model.layers.0.mlp.gate_proj.weight is 11008 × 4096 in the files and 14336 × 4096 by config.json; model.layers.0.mlp.up_proj.weight is 11008 × 4096 in the files and 14336 × 4096 by config.json; model.layers.0.mlp.down_proj.weight is 4096 × 11008 in the files and 4096 × 14336 by config.json; 93 more differ",
    ]);
  });

  it("is stored as large as its files are", () => {
    const architecture = read(llama8b, llamaTensors(llama8b), "llama");
    const { fileBytes = 0 } = architecture.checkpoint ?? {};
    expect(fileBytes).toBeGreaterThan(16_060_522_496);
    expect(modelFilesGB(modelOf("llama-3.1-8b", { architecture }))).toBe(fileBytes / 1e9);
    expect(modelFilesGB(modelOf("llama-3.1-8b", { architecture, quantization: "fp8" }))).toBe(fileBytes / 1e9);
  });
});
