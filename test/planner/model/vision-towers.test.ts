/** Towers of multimodal families; counts are those of transformers 5.19 on the "meta" device. */
import { describe, expect, it } from "vitest";
import { estimateVllm } from "../../../engines/vllm/memory/estimate";
import { readModelConfig } from "../../../planner/model/config-json";
import { countParameters } from "../../../planner/model/parameters";
import { memoryRequest } from "../../engines/vllm/requests";
import { defaultConfig } from "./families/compare";

const text = {
  model_type: "qwen3_vl_text",
  hidden_size: 4096,
  intermediate_size: 12288,
  num_hidden_layers: 36,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  head_dim: 128,
  vocab_size: 151936,
  max_position_embeddings: 262144,
  dtype: "bfloat16",
};
// Qwen3VLVisionConfig(): Qwen3_5VisionConfig() is the same without stacked layers
const tower = {
  depth: 27,
  hidden_size: 1152,
  intermediate_size: 4304,
  in_channels: 3,
  patch_size: 16,
  spatial_merge_size: 2,
  temporal_patch_size: 2,
  out_hidden_size: 3584,
  num_position_embeddings: 2304,
};
const stacked = { ...tower, deepstack_visual_indexes: [8, 16, 24] };

describe("Qwen3-VL", () => {
  // Qwen/Qwen3-VL-8B-Instruct: the tower's output is as wide as the text model
  const published = { model_type: "qwen3_vl", text_config: text, vision_config: { ...stacked, out_hidden_size: 4096 } };

  it("has a merger for the tower and one for each stacked layer, with norms of their own widths", () => {
    const vision = (vision_config: object): number =>
      countParameters(readModelConfig({ ...published, vision_config })).vision;
    expect(vision(stacked)).toBe(566_949_104);
    expect(vision(tower)).toBe(453_650_672);
  });

  it("has its published number of parameters", () => {
    expect(countParameters(readModelConfig(published)).total).toBe(8_767_123_696);
  });

  it("keeps buffers for the stacked features of one batch on every GPU", () => {
    const weights = (maxNumBatchedTokens: number, tensorParallel: number): number =>
      estimateVllm(
        memoryRequest(readModelConfig(published), { tensorParallel, vllm: { maxNumBatchedTokens } }),
      ).stages.reduce((total, stage) => total + stage.weightsGiB, 0);
    for (const tensorParallel of [1, 2]) {
      const perGpu = weights(8192, tensorParallel) - weights(2048, tensorParallel);
      expect(perGpu * 2 ** 30).toBeCloseTo(3 * (8192 - 2048) * 4096 * 2, 0);
    }
  });
});

describe("a class of the text model alone", () => {
  it.each([
    [["Qwen3VLForConditionalGeneration"], true],
    [["Qwen3ForCausalLM"], false],
    [["Qwen3ForCausalLM", "Qwen3VLForConditionalGeneration"], true],
    [[], true],
    [undefined, true],
  ])("architectures %j: tower %s", (architectures, hasTower) => {
    const config = { model_type: "qwen3_vl", text_config: text, vision_config: stacked, architectures };
    expect(readModelConfig(config).vision !== undefined).toBe(hasTower);
  });

  it("does not hide the tower of a family whose only class has such a name", () => {
    const config = { ...text, model_type: "qwen2", vision_config: stacked, architectures: ["SomeVisionForCausalLM"] };
    expect(readModelConfig(config).vision).toBeDefined();
  });
});

describe("towers that are no vision transformer", () => {
  const gemma3n = (vision_config: object, audio_config?: object): object => ({
    model_type: "gemma3n",
    text_config: defaultConfig("gemma3n_text"),
    vision_config,
    audio_config,
  });
  const conformer = {
    model_type: "gemma3n_audio",
    hidden_size: 1536,
    vocab_size: 128,
    conf_num_attention_heads: 8,
    conf_num_hidden_layers: 12,
    conf_conv_kernel_size: 5,
    sscp_conv_channel_size: [128, 32],
  };
  const mobileNet = { architecture: "mobilenetv5_300m_enc", hidden_size: 2048, vocab_size: 128 };

  it("Gemma 3n E4B: what is published, less the keys and values of 15 layers that vLLM drops", () => {
    // google/gemma-3n-E4B-it; gemma3n.py, _kv_sharing_weights_mapper
    const dropped = 15 * (2 * 512 * 2048 + 256);
    const model = readModelConfig(gemma3n(mobileNet, conformer));
    expect(countParameters(model)).toMatchObject({ total: 7_849_978_192 - dropped, text: 6_835_235_568 });
  });

  it("names an unknown network, and an unknown audio tower", () => {
    expect(() => readModelConfig(gemma3n({ ...mobileNet, architecture: "toString" }))).toThrow("mobilenetv5_300m_enc");
    expect(() => readModelConfig(gemma3n(mobileNet, { model_type: "constructor" }))).toThrow("gemma3n_audio");
  });

  it("Gemma 4 Unified: patches and frames go through one matrix each", () => {
    const config = {
      model_type: "gemma4_unified",
      text_config: defaultConfig("gemma4_unified_text"),
      vision_config: { model_type: "gemma4_unified_vision" },
      audio_config: { model_type: "gemma4_unified_audio" },
    };
    expect(countParameters(readModelConfig(config)).total).toBe(3_056_257_024);
  });

  it("LFM2-VL: merged patches through a projector that every GPU holds whole", () => {
    const config = {
      model_type: "lfm2_vl",
      text_config: defaultConfig("lfm2"),
      // without the pooling head, which vLLM's lfm2_siglip2.py lacks
      vision_config: {
        hidden_size: 768,
        intermediate_size: 3072,
        num_hidden_layers: 12,
        patch_size: 16,
        num_patches: 256,
      },
      projector_hidden_size: 2560,
      downsample_factor: 2,
      projector_bias: true,
      projector_use_layernorm: true,
    };
    const model = readModelConfig(config);
    expect(countParameters(model).total).toBe(2_805_769_984);
    expect(
      model.vision?.tensors.filter(({ name }) => name.startsWith("projector")).every(({ split }) => split === "none"),
    ).toBe(true);
  });
});
