/** Weight formats as start-up logs and names of checkpoints tell them, as `quantization_config` would. */
import type { KvCacheDtype } from "../../../planner/memory/kv-cache";

export interface Recipe {
  /** Replaces the configuration's own; null: none, in 16 bits. Undefined: whatever the configuration has. */
  readonly quantizationConfig?: object | null;
  readonly kvCacheDtype: KvCacheDtype;
}

/** llm-compressor leaves the head and the towers of multimodal models in 16 bits. */
const ignore = [
  "lm_head",
  "re:.*vision_tower.*",
  "re:.*visual.*",
  "re:.*vision_model.*",
  "re:.*multi_modal_projector.*",
];

function compressed(num_bits: number, type: "int" | "float", strategy: string, group_size?: number): object {
  const weights = { num_bits, type, strategy, symmetric: true, ...(group_size !== undefined && { group_size }) };
  return {
    quant_method: "compressed-tensors",
    ...(num_bits === 4 && { format: "pack-quantized" }),
    config_groups: { group_0: { targets: ["Linear"], weights } },
    ignore,
  };
}

/** First match wins. */
const recipes: readonly (readonly [pattern: RegExp, quantizationConfig: object | null])[] = [
  [/fp8[-_ ]?block|block[-_ ]?fp8/, { quant_method: "fp8", weight_block_size: [128, 128] }],
  [/fp8[-_ ]?dynamic|channel/, compressed(8, "float", "channel")],
  [/nvfp4|fp4[-_ ]?nv/, { quant_algo: "NVFP4", quant_method: "modelopt" }],
  [/mxfp4/, { quant_method: "mxfp4", modules_to_not_convert: ["self_attn", "router", "embed_tokens", "lm_head"] }],
  [/awq/, { quant_method: "awq", bits: 4, group_size: 128, zero_point: true }],
  [/gptq/, { quant_method: "gptq", bits: 4, group_size: 128, sym: true, desc_act: false }],
  [/w4a16|int4|4[-_ ]?bit/, compressed(4, "int", "group", 128)],
  [/w8a8|w8a16|int8|8[-_ ]?bit/, compressed(8, "int", "channel")],
  [/fp8/, { quant_method: "fp8" }],
  [/bf16|bfloat16|fp16|float16|^half$|16[-_ ]?bit/, null],
];

const cachePattern = /(?:fp8[-_ a-z]*kv|kv[-_ ]?cache?[-_ a-z]*[=: ]*fp8|kv[-_ =:]*fp8)[a-z0-9_]*/;

/** What `dtype_or_quant` and the model's name say; the column wins. */
export function recipeOf(column: string, model: string): Recipe {
  const text = column.toLowerCase();
  const kvCacheDtype = cachePattern.test(text) ? "fp8" : "auto";
  const format = text.replace(cachePattern, " ").trim();
  const name = model.toLowerCase().split("/").at(-1) ?? "";
  const [, quantizationConfig] =
    recipes.find(([pattern]) => pattern.test(format)) ?? recipes.find(([pattern]) => pattern.test(name)) ?? [];
  return { ...(quantizationConfig !== undefined && { quantizationConfig }), kvCacheDtype };
}
