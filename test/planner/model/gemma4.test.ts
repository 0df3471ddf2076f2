import { describe, expect, it } from "vitest";
import { kvLayout, pagesPerRequest } from "../../../engines/vllm/memory/kv-groups";
import { stageWeightBytes } from "../../../engines/vllm/memory/weights";
import { layerCaches } from "../../../planner/memory/kv-cache";
import { readModelConfig } from "../../../planner/model/config-json";
import { countParameters, weightBytes } from "../../../planner/model/parameters";
import { tensorInventory } from "../../../planner/model/tensors";

const vision = {
  model_type: "gemma4_vision",
  hidden_size: 1152,
  intermediate_size: 4304,
  num_hidden_layers: 27,
  num_attention_heads: 16,
  head_dim: 72,
  patch_size: 16,
  position_embedding_size: 10240,
  standardize: true,
};

/** Every sixth layer is global. */
function text(layers: number, changes: object): object {
  return {
    model_type: "gemma4_text",
    num_hidden_layers: layers,
    head_dim: 256,
    global_head_dim: 512,
    attention_k_eq_v: true,
    hidden_size_per_layer_input: 0,
    num_kv_shared_layers: 0,
    sliding_window: 1024,
    max_position_embeddings: 262144,
    vocab_size: 262144,
    dtype: "bfloat16",
    tie_word_embeddings: true,
    ...changes,
  };
}

const gemma31b = readModelConfig({
  model_type: "gemma4",
  text_config: text(60, {
    hidden_size: 5376,
    intermediate_size: 21504,
    num_attention_heads: 32,
    num_key_value_heads: 16,
    num_global_key_value_heads: 4,
  }),
  vision_config: vision,
});

const gemma26b = readModelConfig({
  model_type: "gemma4",
  text_config: text(30, {
    hidden_size: 2816,
    intermediate_size: 2112,
    num_attention_heads: 16,
    num_key_value_heads: 8,
    num_global_key_value_heads: 2,
    enable_moe_block: true,
    moe_intermediate_size: 704,
    num_experts: 128,
    top_k_experts: 8,
  }),
  vision_config: vision,
});

const smallText = {
  hidden_size: 1536,
  intermediate_size: 6144,
  num_attention_heads: 8,
  num_key_value_heads: 1,
  attention_k_eq_v: false,
  num_kv_shared_layers: 20,
  hidden_size_per_layer_input: 256,
  vocab_size_per_layer_input: 262144,
  use_double_wide_mlp: true,
  layer_types: Array.from({ length: 35 }, (_, layer) => (layer % 5 === 4 ? "full_attention" : "sliding_attention")),
};

const gemmaE2b = readModelConfig({
  model_type: "gemma4",
  text_config: text(35, smallText),
  vision_config: {
    ...vision,
    hidden_size: 768,
    intermediate_size: 3072,
    num_hidden_layers: 16,
    num_attention_heads: 12,
    head_dim: 64,
    standardize: false,
  },
  audio_config: {
    model_type: "gemma4_audio",
    hidden_size: 1024,
    num_hidden_layers: 12,
    num_attention_heads: 8,
    subsampling_conv_channels: [128, 32],
    conv_kernel_size: 5,
    output_proj_dims: 1536,
  },
});

describe("Gemma 4", () => {
  it.each([
    ["31B", gemma31b, 58.25],
    ["26B-A4B", gemma26b, 48.07],
  ] as const)("%s fills its published files: %f GiB", (_, architecture, gib) => {
    expect(weightBytes(architecture).checkpointBytes / 2 ** 30).toBeCloseTo(gib, 2);
  });

  it("31B has the 30.70 billion parameters that llama.cpp counts in its text model", () => {
    expect(countParameters(gemma31b).text / 1e9).toBeCloseTo(30.7, 2);
  });

  it("E2B has 5.1 billion parameters with its per-layer embeddings and its towers", () => {
    expect(countParameters(gemmaE2b).total / 1e9).toBeCloseTo(5.1, 1);
  });

  it("E2B caches its first 15 layers only: the others reuse them and have no key and value weights", () => {
    const caches = layerCaches(gemmaE2b, "bfloat16", 1);
    expect(caches.map((cache) => cache.bytesPerToken > 0)).toEqual(caches.map((_, layer) => layer < 15));
    const keys = tensorInventory(gemmaE2b).filter((tensor) => tensor.module.endsWith(".k_proj"));
    expect(keys).toHaveLength(15);
  });

  it("reuses the keys of global layers as values: once in the files, twice in memory", () => {
    const stage = { index: 0, firstLayer: 0, endLayer: 60, isFirst: true, isLast: true };
    const loaded = stageWeightBytes(gemma31b, {
      tensorParallel: 1,
      expertParallel: false,
      stage,
      format: gemma31b.quantization,
      expertKernel: "triton",
      fp8ExpertMultiple: 1,
      nvfp4ExpertMultiple: 1,
      rowPadding: { experts: false, fp8: false },
      mxfp4: { tile: { rows: 64, columns: 128 }, scaleGroups: 2, keepsScales: true, tensorRtWidth: 256 },
      latentWorkspaceMiB: 0,
      maxNumBatchedTokens: 8192,
    });
    const copies = 10 * 4 * 512 * 5376 * 2;
    const rotary = 262144 * (512 + 256) * 2;
    const files = weightBytes(gemma31b).checkpointBytes;
    expect(loaded - files - copies - rotary).toBeGreaterThanOrEqual(0);
    // what the allocator rounds up
    expect(loaded - files - copies - rotary).toBeLessThan(0.005 * files);
  });

  it("takes 45.79 GiB for 262,144 tokens in batches of 32,768 up to vLLM 0.25, 70.79 GiB after (vLLM issue 49878)", () => {
    const layout = kvLayout(layerCaches(gemma31b, "bfloat16", 1), { groupSizeTolerance: 1.5, hybridStatePages: 2 });
    if (layout === undefined) {
      throw new Error("no cache");
    }
    const gib = (batches: number): number =>
      (pagesPerRequest(layout, 262_144, batches * 32_768) * layout.pageBytes) / 2 ** 30;
    expect(gib(1)).toBeCloseTo(45.79, 2);
    expect(gib(2)).toBeCloseTo(70.79, 2);
  });

  it("refuses more shared caches than layers, and audio towers of other models", () => {
    expect(() => readModelConfig(text(35, { ...smallText, num_kv_shared_layers: 35 }))).toThrow(/num_kv_shared_layers/);
    expect(() =>
      readModelConfig({
        model_type: "gemma4",
        text_config: text(35, smallText),
        vision_config: vision,
        audio_config: { model_type: "whisper" },
      }),
    ).toThrow(/audio_config.model_type/);
  });
});
