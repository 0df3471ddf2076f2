import { describe, expect, it } from "vitest";
import { readModelConfig } from "../../../../planner/model/config-json";
import { countParameters } from "../../../../planner/model/parameters";
import { tensorInventory } from "../../../../planner/model/tensors";
import { families } from "./compare";
import { caches, read, tensor } from "./reading";

describe("LongCat-Flash", () => {
  const longcat = read("longcat_flash");

  it("caches the latent vectors of two attentions a layer on every GPU", () => {
    expect(caches(longcat)).toEqual({ [`full: ${2 * 576 * 2}`]: 28 });
    expect(caches(longcat, 8)).toEqual(caches(longcat));
  });

  it("routes to places without weights", () => {
    expect(tensor(longcat, "model.layers.0.gate")).toMatchObject({ rows: 512 + 256, loadedDtype: "float32" });
    expect(tensor(longcat, "model.layers.0.experts.0.down_proj").count).toBe(512);
  });

  it("is refused without experts", () => {
    expect(() => read("longcat_flash", { n_routed_experts: 0 })).toThrow("n_routed_experts");
  });
});

describe("Hunyuan 4", () => {
  const hunyuan = read("hy_v4");

  it("caches indexer keys only where a layer has its own indexer: 512 + 64 values, 128 bytes and a scale", () => {
    expect(caches(hunyuan)).toEqual({ "full: 1284": 10, "full: 1152": 24 });
    expect(caches(read("hy_v4", { indexer_types: undefined }))).toEqual({ "full: 1284": 34 });
  });

  it("holds hyper-connections whole, in float32, and never quantizes them", () => {
    expect(tensor(hunyuan, "model.layers.7.attn_hc.fn")).toMatchObject({
      kind: "vector",
      rows: 8,
      columns: 4 * 2816,
      split: { along: "none" },
      loadedDtype: "float32",
    });
  });

  it("gates per channel or per head, or not", () => {
    const gate = "model.layers.0.self_attn.gate_proj";
    expect(tensor(hunyuan, gate)).toMatchObject({ rows: 32 * 256, split: { along: "rows" } });
    expect(tensor(read("hy_v4", { gating_type: "headwise" }), gate).rows).toBe(32);
    expect(() => tensor(read("hy_v4", { gated_mla: false }), gate)).toThrow("no model.layers.0");
  });
});

describe("MiniMax-M3", () => {
  /** As published; the first three layers are dense in both senses. */
  const sparseLayers = Array.from({ length: 60 }, (_, layer) => (layer < 3 ? 0 : 1));
  const published = readModelConfig({
    model_type: "minimax_m3_vl",
    text_config: {
      ...defaults("minimax_m3_vl_text"),
      model_type: "minimax_m3_text",
      moe_layer_freq: sparseLayers,
      sparse_attention_config: {
        sparse_attention_freq: sparseLayers,
        sparse_num_index_heads: 4,
        sparse_index_dim: 128,
      },
    },
    vision_config: {
      hidden_size: 1280,
      intermediate_size: 5120,
      num_hidden_layers: 32,
      patch_size: 14,
      temporal_patch_size: 2,
      spatial_merge_size: 2,
    },
  });

  it("has the parameters that transformers 5.19.0 counts, vision and all", () => {
    expect(countParameters(published).total).toBe(427_040_132_864);
  });

  it("caches 16-bit indexer keys beside its keys and values, on every GPU", () => {
    expect(caches(published)).toEqual({ "full: 2048": 3, "full: 2304": 57 });
    expect(caches(published, 4)).toEqual({ "full: 512": 3, "full: 768": 57 });
    expect(caches(published, 8)).toEqual(caches(published, 4));
  });

  it("cuts the indexer's heads as KV heads are cut", () => {
    expect(tensor(published, "model.layers.3.self_attn.indexer.q_proj").split).toEqual({ along: "rows", units: 4 });
    expect(tensor(published, "model.layers.3.self_attn.indexer.k_proj").split).toEqual({ along: "none" });
  });
});

describe("Step 3.5 and 3.7", () => {
  const types = Array.from({ length: 48 }, (_, layer) => (layer % 4 === 0 ? "full_attention" : "sliding_attention"));
  /** Keys as stepfun-ai/Step-3.5-Flash and Step-3.7-Flash publish them: lists go on for three prediction layers. */
  const text = {
    model_type: "step3p5",
    hidden_size: 4096,
    intermediate_size: 11264,
    num_hidden_layers: 45,
    num_attention_heads: 64,
    num_attention_groups: 8,
    head_dim: 128,
    moe_num_experts: 288,
    moe_top_k: 8,
    moe_intermediate_size: 1280,
    share_expert_dim: 1280,
    moe_layers_enum: Array.from({ length: 42 }, (_, layer) => layer + 3).join(","),
    use_head_wise_attn_gate: true,
    attention_other_setting: { attention_type: "sliding_attention", num_attention_heads: 96, num_attention_groups: 8 },
    layer_types: types,
    partial_rotary_factors: types.map((type) => (type === "full_attention" ? 0.5 : 1)),
    sliding_window: 512,
    max_position_embeddings: 262144,
    num_nextn_predict_layers: 3,
    vocab_size: 128896,
    dtype: "bfloat16",
  };
  const vision = {
    hidden_size: 1536,
    intermediate_size: 8960,
    num_hidden_layers: 47,
    image_size: 728,
    patch_size: 14,
  };

  it("has the parameters that transformers 5.19.0 counts, from the published keys", () => {
    expect(countParameters(readModelConfig(text)).total).toBe(196_956_118_272);
    const withVision = readModelConfig({ model_type: "step3p7", text_config: text, vision_config: vision });
    expect(countParameters(withVision).total).toBe(198_937_133_056);
  });

  it("slides in three of four layers, with a rotary table for each kind", () => {
    const step = readModelConfig(text);
    expect(caches(step)).toEqual({ "full: 4096": 12, "sliding 512: 4096": 33 });
    expect(step.rotaryTables).toEqual([
      { positions: 262144, rotaryDim: 64 },
      { positions: 262144, rotaryDim: 128 },
    ]);
    expect(() => readModelConfig({ ...text, partial_rotary_factors: ["all"] })).toThrow("partial_rotary_factors");
  });

  it("refuses expert layers that are no numbers", () => {
    expect(() => readModelConfig({ ...text, moe_layers_enum: "3,four" })).toThrow("whole numbers with commas");
  });

  it("brings three dense prediction layers, each with its own head, that plain serving does not load", () => {
    const prediction = tensorInventory(readModelConfig(text)).filter(({ part }) => part === "multi-token-prediction");
    expect(prediction.filter(({ module }) => module.endsWith("shared_head.output"))).toHaveLength(3);
    expect(prediction.some(({ kind }) => kind === "expert")).toBe(false);
  });
});

describe("Sarvam", () => {
  it("reads sarvam_mla as latent attention with experts", () => {
    const sarvam = readModelConfig({
      model_type: "sarvam_mla",
      hidden_size: 4096,
      intermediate_size: 16384,
      moe_intermediate_size: 2048,
      num_hidden_layers: 32,
      num_attention_heads: 64,
      num_experts: 128,
      num_experts_per_tok: 8,
      num_shared_experts: 1,
      first_k_dense_replace: 1,
      kv_lora_rank: 512,
      qk_nope_head_dim: 128,
      qk_rope_head_dim: 64,
      v_head_dim: 128,
      max_position_embeddings: 131072,
      vocab_size: 262144,
    });
    expect(caches(sarvam)).toEqual({ "full: 1152": 32 });
    expect(tensor(sarvam, "model.layers.1.mlp.gate.bias").rows).toBe(128);
    expect(tensor(sarvam, "model.layers.0.self_attn.q_proj").rows).toBe(64 * 192);
  });
});

function defaults(modelType: string): object {
  const family = families.find((each) => each.modelType === modelType);
  if (family === undefined) {
    throw new Error(`no family ${modelType}`);
  }
  // transformers writes the lists that the published file has under other names
  const { layer_types: _attention, mlp_layer_types: _blocks, ...config } = family.config;
  return config;
}
