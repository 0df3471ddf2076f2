import { describe, expect, it } from "vitest";
import { kvCacheBytesPerToken } from "../../../planner/memory/kv-cache";
import { readModelConfig } from "../../../planner/model/config-json";
import { knownFamilies } from "../../../planner/model/families/registry";
import { countParameters } from "../../../planner/model/parameters";
import { publishedModels } from "./published-families";

describe("families", () => {
  it.each(publishedModels)(
    "$name has exactly its published number of parameters",
    ({ name, config, parameters, withPrediction }) => {
      const counts = countParameters(readModelConfig(config, { name }));
      expect(withPrediction ? counts.totalWithMtp : counts.total).toBe(parameters);
    },
  );

  it.each([
    ["is missing", undefined, "block_configs"],
    ["has the wrong length", [], "block_configs"],
    ["is no list", { length: 80 }, "block_configs"],
    ["holds something else", [1, "a"], "block_configs"],
    [
      "has heads that do not divide",
      [{ attention: { n_heads_in_group: 7 }, ffn: { ffn_mult: 1 } }],
      "block_configs[0].attention",
    ],
    ["has a hostile width", [{ attention: { no_op: true }, ffn: { ffn_mult: -1e308 } }], "block_configs[0].ffn"],
  ])("Llama-Nemotron names the problem when its list of blocks %s", (_, block_configs, path) => {
    const known = publishedModels.find((model) => model.config.model_type === "nemotron-nas");
    const config = { ...known?.config, num_hidden_layers: 1, block_configs };
    expect(() => readModelConfig(config)).toThrow(path);
  });

  it("MiMo-V2-Flash has 309 billion parameters, 15 active, and values narrower than keys", () => {
    const mimo = readModelConfig({
      model_type: "mimo_v2_flash",
      num_hidden_layers: 48,
      hidden_size: 4096,
      num_attention_heads: 64,
      num_key_value_heads: 4,
      head_dim: 192,
      v_head_dim: 128,
      intermediate_size: 16384,
      vocab_size: 152576,
      max_position_embeddings: 262144,
      partial_rotary_factor: 0.334,
      sliding_window: 128,
      swa_num_key_value_heads: 8,
      hybrid_layer_pattern: Array.from({ length: 48 }, (_, layer) => (layer === 0 || layer % 6 === 5 ? 0 : 1)),
      add_swa_attention_sink_bias: true,
      moe_layer_freq: Array.from({ length: 48 }, (_, layer) => (layer === 0 ? 0 : 1)),
      moe_intermediate_size: 2048,
      n_routed_experts: 256,
      num_experts_per_tok: 8,
      topk_method: "noaux_tc",
      torch_dtype: "bfloat16",
    });
    const counts = countParameters(mimo);
    expect(Math.round(counts.total / 1e9)).toBe(309);
    expect(Math.round(counts.active / 1e9)).toBe(15);
    expect(kvCacheBytesPerToken(mimo)).toBe((9 * 4 + 39 * 8) * (192 + 128) * 2);
  });

  it("are listed once each", () => {
    expect(new Set(knownFamilies()).size).toBe(knownFamilies().length);
    expect(knownFamilies()).toContain("llama");
  });
});
