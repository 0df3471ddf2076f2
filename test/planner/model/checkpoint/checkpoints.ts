/** Tensor lists of checkpoints as the makers of models write them. */
import { truncateSync, writeFileSync } from "node:fs";
import { type Checkpoint, joinFiles } from "../../../../planner/model/checkpoint/checkpoint";
import { parseSafetensorsHeader, type StoredDtype } from "../../../../planner/model/checkpoint/safetensors-header";
import { fileStart, headerOf, type WrittenTensor } from "./safetensors";

export interface Dimensions {
  readonly hidden: number;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly width: number;
  readonly vocabulary: number;
}

export const llama8b: Dimensions = {
  hidden: 4096,
  layers: 32,
  heads: 32,
  kvHeads: 8,
  headDim: 128,
  width: 14336,
  vocabulary: 128256,
};

/** The keys of config.json that nearly every family has. */
export function configOf(dimensions: Dimensions, modelType: string): Record<string, unknown> {
  return {
    model_type: modelType,
    hidden_size: dimensions.hidden,
    num_hidden_layers: dimensions.layers,
    num_attention_heads: dimensions.heads,
    num_key_value_heads: dimensions.kvHeads,
    head_dim: dimensions.headDim,
    intermediate_size: dimensions.width,
    vocab_size: dimensions.vocabulary,
    max_position_embeddings: 8192,
    torch_dtype: "bfloat16",
    tie_word_embeddings: false,
  };
}

/** Names of Llama's projections with outputs and inputs. */
function projections({ hidden, heads, kvHeads, headDim, width }: Dimensions): readonly [string, number, number][] {
  return [
    ["self_attn.q_proj", heads * headDim, hidden],
    ["self_attn.k_proj", kvHeads * headDim, hidden],
    ["self_attn.v_proj", kvHeads * headDim, hidden],
    ["self_attn.o_proj", hidden, heads * headDim],
    ["mlp.gate_proj", width, hidden],
    ["mlp.up_proj", width, hidden],
    ["mlp.down_proj", hidden, width],
  ];
}

type ProjectionWriter = (name: string, outputs: number, inputs: number) => readonly WrittenTensor[];

/** Every projection one matrix of this type. */
export function plain(dtype: StoredDtype): ProjectionWriter {
  return (name, outputs, inputs) => [{ name: `${name}.weight`, dtype, shape: [outputs, inputs] }];
}

/** GPTQ of AutoGPTQ: four bits in int32, inputs first, groups of 128. */
export const gptq: ProjectionWriter = (name, outputs, inputs) => [
  { name: `${name}.qweight`, dtype: "I32", shape: [inputs / 8, outputs] },
  { name: `${name}.qzeros`, dtype: "I32", shape: [inputs / 128, outputs / 8] },
  { name: `${name}.scales`, dtype: "F16", shape: [inputs / 128, outputs] },
  { name: `${name}.g_idx`, dtype: "I32", shape: [inputs] },
];

/** A model of Llama's make. */
export function llamaTensors(dimensions: Dimensions, write: ProjectionWriter = plain("BF16")): WrittenTensor[] {
  const { hidden, vocabulary, layers } = dimensions;
  return [
    { name: "model.embed_tokens.weight", dtype: "BF16", shape: [vocabulary, hidden] },
    ...Array.from({ length: layers }, (_, layer) => {
      const prefix = `model.layers.${layer}`;
      return [
        ...projections(dimensions).flatMap(([name, rows, columns]) => write(`${prefix}.${name}`, rows, columns)),
        norm(`${prefix}.input_layernorm`, hidden),
        norm(`${prefix}.post_attention_layernorm`, hidden),
      ];
    }).flat(),
    norm("model.norm", hidden),
    { name: "lm_head.weight", dtype: "BF16", shape: [vocabulary, hidden] },
  ];
}

function norm(name: string, hidden: number): WrittenTensor {
  return { name: `${name}.weight`, dtype: "BF16", shape: [hidden] };
}

/** A weight file of its full size, whose values take no room on the disk. */
export function writeWeights(path: string, tensors: readonly WrittenTensor[]): void {
  const { json, dataBytes } = headerOf(tensors);
  const start = fileStart(json);
  writeFileSync(path, start);
  truncateSync(path, start.length + dataBytes);
}

/** What reading one file with these tensors gives. */
export function checkpointOf(tensors: readonly WrittenTensor[], name = "model.safetensors"): Checkpoint {
  const { json, dataBytes } = headerOf(tensors);
  const header = Buffer.from(json);
  const bytes = 8 + header.length + dataBytes;
  return joinFiles([{ name, bytes, tensors: parseSafetensorsHeader(header, { name, bytes }) }]);
}
