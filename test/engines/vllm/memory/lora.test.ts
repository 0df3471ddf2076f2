import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LoraRequest, loraBytes } from "../../../../engines/vllm/memory/lora";
import { pipelineStages } from "../../../../planner/memory/pipeline";
import { readModelConfig } from "../../../../planner/model/config-json";

const tiny = {
  hidden_size: 256,
  num_hidden_layers: 2,
  num_attention_heads: 8,
  num_key_value_heads: 2,
  head_dim: 32,
  intermediate_size: 512,
  vocab_size: 1024,
  max_position_embeddings: 512,
  rms_norm_eps: 1e-6,
  hidden_act: "silu",
  torch_dtype: "bfloat16",
  rope_theta: 10_000,
  tie_word_embeddings: false,
};
const experts = {
  num_experts: 4,
  num_experts_per_tok: 2,
  moe_intermediate_size: 128,
  decoder_sparse_step: 1,
  norm_topk_prob: true,
  mlp_only_layers: [],
};
const models = {
  llama: { ...tiny, architectures: ["LlamaForCausalLM"], model_type: "llama" },
  "qwen3, tied": { ...tiny, architectures: ["Qwen3ForCausalLM"], model_type: "qwen3", tie_word_embeddings: true },
  qwen2: { ...tiny, architectures: ["Qwen2ForCausalLM"], model_type: "qwen2" },
  phi3: { ...tiny, architectures: ["Phi3ForCausalLM"], model_type: "phi3", original_max_position_embeddings: 512 },
  qwen3_moe: { ...tiny, ...experts, architectures: ["Qwen3MoeForCausalLM"], model_type: "qwen3_moe" },
} as const;

function bytes(model: keyof typeof models, overrides: Partial<LoraRequest> = {}): number {
  const architecture = readModelConfig(models[model]);
  const [stage] = pipelineStages(architecture.layers, 1);
  if (stage === undefined) {
    throw new Error("no stage");
  }
  const room = { slots: 2, maxRank: 32 };
  return loraBytes({ architecture, stage, room, tensorParallel: 1, expertParallel: false, ...overrides });
}

describe("room for adapters", () => {
  // Sum of all `*lora*_stacked` of the loaded model, `--max-loras 2 --max-lora-rank 32`, 2026-11-22.
  it.each([
    ["llama", 1_343_488],
    ["qwen3, tied", 1_343_488],
    ["qwen2", 1_015_808],
    ["phi3", 1_146_880],
    ["qwen3_moe", 1_999_872],
  ] as const)("of %s is what vLLM 0.32.0 (CPU) allocated", (model, measured) => {
    expect(bytes(model)).toBe(measured);
  });

  it("grows with slots and rank alike", () => {
    const room = fc.record({ slots: fc.integer({ min: 1, max: 8 }), maxRank: fc.constantFrom(8, 16, 64, 256) });
    fc.assert(
      fc.property(fc.constantFrom(...(Object.keys(models) as (keyof typeof models)[])), room, (model, asked) => {
        const one = bytes(model, { room: { slots: 1, maxRank: 8 } });
        const times = bytes(model, { room: asked }) / one;
        // But for what the allocator rounds up of the smallest.
        expect(Math.abs(times / ((asked.slots * asked.maxRank) / 8) - 1)).toBeLessThan(0.05);
      }),
    );
  });

  it("is halved by tensor parallelism on one side of each layer alone: the other is whole on every GPU", () => {
    const [whole, half] = [1, 2].map((tensorParallel) => bytes("qwen2", { tensorParallel }));
    // Per layer, values of rank 1: inputs of q, k, v, gate, up are whole, what they give is cut; o and down the other way.
    const perLayer = (tp: number) => 5 * 256 + (384 + 1024) / tp + (256 + 512) / tp + 2 * 256;
    expect(whole).toBe(2 * perLayer(1) * 2 * 32 * 2);
    expect(half).toBe(2 * perLayer(2) * 2 * 32 * 2);
  });

  it("has the tables of the vocabulary on the stages that have them, whole", () => {
    const stages = pipelineStages(2, 2).map((stage) => bytes("llama", { stage }));
    const table = (1024 + 256) * 2 * 32 * 2;
    expect(stages).toEqual([(1_343_488 - 2 * table) / 2 + table, (1_343_488 - 2 * table) / 2 + table]);
  });
});
