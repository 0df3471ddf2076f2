import { describe, expect, it } from "vitest";
import { parallelismProblems } from "../../../../engines/vllm/divisibility";
import { countParameters } from "../../../../planner/model/parameters";
import { caches, read, tensor } from "./reading";

describe("mixtures that differ from others in traits", () => {
  it("Afmoe slides in three of four layers", () => {
    expect(caches(read("afmoe"))).toEqual({ "sliding 1024: 8192": 24, "full: 8192": 8 });
    expect(caches(read("afmoe", { layer_types: undefined, global_attn_every_n_layers: 8 }), 4)).toEqual({
      "sliding 1024: 2048": 28,
      "full: 2048": 4,
    });
  });

  it("Afmoe gates every channel of the attention's output with a matrix that tensor parallelism cuts", () => {
    expect(tensor(read("afmoe"), "model.layers.0.self_attn.gate_proj")).toMatchObject({
      kind: "linear",
      rows: 16 * 128,
      columns: 2048,
      split: { along: "rows" },
    });
  });

  it("Laguna gates per head or per channel, as its config says", () => {
    const gate = "model.layers.3.self_attn.g_proj";
    expect(tensor(read("laguna"), gate).rows).toBe(48);
    expect(tensor(read("laguna", { gating: "per-head" }), gate).rows).toBe(48);
    expect(tensor(read("laguna", { gating: "per-element" }), gate).rows).toBe(48 * 128);
    expect(() => tensor(read("laguna", { gating: false }), gate)).toThrow("no model.layers.3");
    expect(() => read("laguna", { gating: "per-layer" })).toThrow('expected true, false, "per-head" or "per-element"');
  });

  it("Laguna's heads differ from layer to layer, its cache does not", () => {
    const heads = Array.from({ length: 40 }, (_, layer) => (layer % 4 === 0 ? 48 : 64));
    const laguna = read("laguna", { num_attention_heads_per_layer: heads });
    expect(tensor(laguna, "model.layers.0.self_attn.q_proj").rows).toBe(48 * 128);
    expect(tensor(laguna, "model.layers.1.self_attn.q_proj").rows).toBe(64 * 128);
    expect(tensor(laguna, "model.layers.1.self_attn.g_proj").rows).toBe(64);
    expect(caches(laguna)).toEqual({ "full: 4096": 40 });
    expect(parallelismProblems(laguna, 32, 1).join()).toMatch(/TP 32 [^,]* 48 attention heads/);
    expect(() => read("laguna", { num_attention_heads_per_layer: [48] })).toThrow("each of the 40 layers");
    const hostile = Array<number>(40).fill(1e12);
    expect(() => read("laguna", { num_attention_heads_per_layer: hostile })).toThrow("a number from 1 to 4096");
  });

  it("Laguna's sliding layers have a rotary table of their own width", () => {
    expect(read("laguna").rotaryTables).toEqual([{ positions: 131072, rotaryDim: 64 }]);
    const types = Array.from({ length: 40 }, (_, layer) => (layer % 4 === 0 ? "full_attention" : "sliding_attention"));
    const sliding = read("laguna", { layer_types: types });
    expect(caches(sliding)).toEqual({ "full: 4096": 10, "sliding 512: 4096": 30 });
    expect(sliding.rotaryTables).toEqual([
      { positions: 131072, rotaryDim: 64 },
      { positions: 131072, rotaryDim: 128 },
    ]);
  });

  it("A.X-K1 caches one latent vector a token and has a third norm where it has experts", () => {
    const model = read("axk1");
    expect(caches(model)).toEqual({ "full: 1152": 61 });
    expect(caches(model, 8)).toEqual({ "full: 1152": 61 });
    expect(tensor(model, "model.layers.0.norms").rows).toBe(2 * 7168);
    expect(tensor(model, "model.layers.1.norms").rows).toBe(3 * 7168);
  });

  it("Hy3 holds its router in float32", () => {
    const router = tensor(read("hy_v3"), "model.layers.1.mlp.gate");
    expect(router).toMatchObject({ rows: 192, columns: 4096, loadedDtype: "float32", split: { along: "none" } });
  });

  it("mlp_layer_types decides which layers have experts, before any other key", () => {
    const types = Array.from({ length: 32 }, (_, layer) => (layer < 8 ? "dense" : "sparse"));
    const { layerSpecs } = read("exaone_moe", { mlp_layer_types: types, first_k_dense_replace: 1 });
    expect(layerSpecs.filter(({ feedForward }) => feedForward.kind === "dense")).toHaveLength(8);
    expect(() => read("exaone_moe", { mlp_layer_types: ["dense"] })).toThrow("has 1 entries for 32 layers");
  });

  it("Command's dense layers have their own width where the config states one", () => {
    const types = Array.from({ length: 40 }, (_, layer) => (layer === 0 ? "dense" : "sparse"));
    const down = (changes: object) =>
      tensor(read("cohere2_moe", { mlp_layer_types: types, ...changes }), "model.layers.0.mlp.down_proj");
    expect(down({}).columns).toBe(22528);
    expect(down({ prefix_dense_intermediate_size: 4096 }).columns).toBe(4096);
  });

  it("Granite's shared expert counts once", () => {
    const without = countParameters(read("granitemoeshared")).total;
    const shared = countParameters(read("granitemoeshared", { shared_intermediate_size: 1024 })).total;
    expect(shared - without).toBe(32 * 3 * 1024 * 4096);
  });
});
