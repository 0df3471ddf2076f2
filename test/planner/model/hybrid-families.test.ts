/** Which layers cache how much, in families that mix attention with fixed states; shapes as vLLM 0.33 allocates them. */
import { describe, expect, it } from "vitest";
import {
  kvCacheBytesPerToken,
  kvCacheBytesPerTokenBeyondWindow,
  layerCaches,
  stateElementsPerSequence,
} from "../../../planner/memory/kv-cache";
import { readModelConfig } from "../../../planner/model/config-json";
import { countParameters } from "../../../planner/model/parameters";
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
