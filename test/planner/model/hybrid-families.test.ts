/** Which layers cache how much, in families that mix attention with fixed states; shapes as vLLM 0.33 allocates them. */
import { describe, expect, it } from "vitest";
import { parallelismProblems } from "../../../engines/vllm/divisibility";
import { estimateVllm } from "../../../engines/vllm/memory/estimate";
import {
  kvCacheBytesPerToken,
  kvCacheBytesPerTokenBeyondWindow,
  layerCaches,
  stateElementsPerSequence,
} from "../../../planner/memory/kv-cache";
import { readModelConfig } from "../../../planner/model/config-json";
import { countParameters } from "../../../planner/model/parameters";
import { memoryRequest } from "../../engines/vllm/requests";
import { defaultArchitecture } from "./families/compare";

describe("LFM2", () => {
  // LiquidAI/LFM2-1.2B
  const published = {
    model_type: "lfm2",
    hidden_size: 2048,
    block_ff_dim: 12288,
    num_hidden_layers: 16,
    num_attention_heads: 32,
    num_key_value_heads: 8,
    vocab_size: 65536,
    max_position_embeddings: 128000,
    full_attn_idxs: [2, 5, 8, 10, 12, 14],
    conv_L_cache: 3,
    tie_embedding: true,
    torch_dtype: "bfloat16",
  };

  it("LFM2-1.2B has its published parameters, six caches and ten convolution states", () => {
    const model = readModelConfig(published);
    expect(countParameters(model).total).toBe(1_170_340_608);
    expect(kvCacheBytesPerToken(model)).toBe(6 * 2 * 8 * 64 * 2);
    expect(stateElementsPerSequence(model)).toEqual({ convolution: 10 * 2048 * 2, recurrent: 0 });
    expect(layerCaches(model, "auto", 4)[0]).toMatchObject({ bytesPerToken: 0, stateBytes: (2048 * 2 * 2) / 4 });
  });

  it("takes the width as stated when told not to adjust it, and an own head where it is not tied", () => {
    const adjusted = countParameters(readModelConfig(published)).total;
    const stated = countParameters(readModelConfig({ ...published, block_auto_adjust_ff_dim: false })).total;
    expect(stated - adjusted).toBe(16 * 3 * 2048 * (12288 - 8192));
    expect(countParameters(readModelConfig({ ...published, tie_embedding: false })).total - adjusted).toBe(
      65536 * 2048,
    );
  });

  it("has experts after the first dense layers, with a bias for routing", () => {
    const experts = {
      ...published,
      model_type: "lfm2_moe",
      intermediate_size: 7168,
      moe_intermediate_size: 1792,
      num_experts: 32,
      num_experts_per_tok: 4,
      num_dense_layers: 2,
    };
    const model = readModelConfig(experts);
    expect(model.layerSpecs.map(({ feedForward }) => feedForward.kind)).toEqual([
      "dense",
      "dense",
      ...Array.from({ length: 14 }, () => "experts"),
    ]);
    expect(model.experts).toMatchObject({ experts: 32, expertsPerToken: 4, width: 1792, routerBias: true });
  });
});

describe("hybrids in their default configuration", () => {
  it("Mamba 2 has nothing but states", () => {
    const model = defaultArchitecture("mamba2");
    expect(kvCacheBytesPerToken(model)).toBe(0);
    expect(stateElementsPerSequence(model)).toEqual({
      convolution: 64 * (8192 + 2 * 8 * 128) * 3,
      recurrent: 64 * 128 * 64 * 128,
    });
  });

  it("OLMo Hybrid caches every fourth layer, and has a delta net's states in the others", () => {
    const model = defaultArchitecture("olmo_hybrid");
    expect(kvCacheBytesPerToken(model)).toBe(8 * 2 * 30 * 128 * 2);
    expect(stateElementsPerSequence(model)).toEqual({
      convolution: 24 * (2 * 30 * 96 + 30 * 192) * 3,
      recurrent: 24 * 30 * 192 * 96,
    });
  });

  it("Granite's hybrid takes transformers 5's linear_attention for Mamba, and caches attention alone", () => {
    const model = defaultArchitecture("granitemoehybrid");
    expect(kvCacheBytesPerToken(model)).toBe(0);
    expect(stateElementsPerSequence(model).recurrent).toBe(32 * 128 * 64 * 256);
  });
});

describe("Kimi Linear", () => {
  it("keeps its delta states in float32, whatever the checkpoint's dtype", () => {
    const model = defaultArchitecture("kimi_linear", { dtype: "bfloat16" });
    const { convolution, recurrent } = stateElementsPerSequence(model);
    const bytes = layerCaches(model, "auto", 1).reduce((total, { stateBytes }) => total + stateBytes, 0);
    expect(recurrent).toBeGreaterThan(0);
    expect(bytes).toBe(convolution * 2 + recurrent * 4);
  });
});

describe("one full layer in four, the first of them", () => {
  it.each([
    ["cwm", 64, 8 * 128],
    ["granite_swa", 24, 4 * 128],
  ])("%s: with and without layer_types", (family, layers, width) => {
    const listed = defaultArchitecture(family);
    const sparse = defaultArchitecture(family, { layer_types: undefined });
    for (const model of [listed, sparse]) {
      expect(model.layerSpecs.map(({ mixer }) => mixer.kind === "attention" && mixer.scope.kind)).toEqual(
        Array.from({ length: layers }, (_, layer) => (layer % 4 === 0 ? "full" : "sliding")),
      );
      expect(kvCacheBytesPerToken(model)).toBe(layers * 2 * width * 2);
      expect(kvCacheBytesPerTokenBeyondWindow(model)).toBe((layers / 4) * 2 * width * 2);
    }
  });
});

describe("Mamba 2 over several GPUs", () => {
  // Bamba: one group, 128 heads; Mamba-Codestral: eight groups
  const bamba = defaultArchitecture("bamba");
  const codestral = defaultArchitecture("mamba2");
  const weights = (model: typeof bamba, tensorParallel: number): number =>
    (estimateVllm(memoryRequest(model, { tensorParallel })).stages[0]?.weightsGiB ?? 0) * 2 ** 30;

  it.each([2, 4, 8])("repeats a single group on each of %i, and splits eight", (tensorParallel) => {
    const [single] = layerCaches(bamba, "auto", tensorParallel).filter(({ stateBytes }) => stateBytes > 0);
    const state = (inner: number, groups: number, size: number): number => 2 * ((inner + groups * 2 * size) * 3);
    expect(single?.stateBytes).toBe(state(8192 / tensorParallel, 1, 256) + (2 * 8192 * 256) / tensorParallel);
    const [eight] = layerCaches(codestral, "auto", tensorParallel);
    expect((eight?.stateBytes ?? 0) * tensorParallel).toBe(state(8192, 8, 128) + 2 * 8192 * 128);
  });

  it("loads the single group's rows whole", () => {
    const mambaLayers = bamba.layerSpecs.filter(({ mixer }) => mixer.kind === "recurrent").length;
    const grouped = mambaLayers * 2 * 256 * (4096 + 4) * 2;
    const beyondEvenShare = weights(bamba, 4) - weights(bamba, 1) / 4;
    // the allocator rounds each parameter to pieces of 2 MiB, on one GPU as on four
    expect(Math.abs(beyondEvenShare / (grouped * 0.75) - 1)).toBeLessThan(0.1);
  });

  it("refuses what cuts heads, or groups of which there are several", () => {
    expect(parallelismProblems(bamba, 16, 1).join()).not.toContain("Mamba");
    expect(parallelismProblems(codestral, 16, 1)).toContain("TP 16 does not divide the 8 groups of Mamba heads");
    expect(parallelismProblems(codestral, 3, 1)).toContain("TP 3 does not divide the 128 Mamba heads");
  });
});
