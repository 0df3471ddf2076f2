/**
 * Tensors of compressed attention. Query and key projections, compressors and the indexer are whole
 * on every GPU. Source: vLLM 0.33.0, models/deepseek_v4/attention.py and compressor.py; names as in
 * transformers 5.19.0.
 */
import type { CompressedAttention } from "./architecture";
import type { TensorPart } from "./tensors";

export function compressedTensors(
  attention: CompressedAttention,
  hidden: number,
  prefix: string,
): readonly TensorPart[] {
  const { heads, headDim, queryLoraRank, outputGroups, outputLoraRank, compression } = attention;
  const linear = (name: string, rows: number, columns: number, along: "none" | "rows" | "columns"): TensorPart => ({
    module: `${prefix}.${name}`,
    kind: "linear",
    rows,
    columns,
    split: { along },
  });
  const outputs = outputGroups * outputLoraRank;
  return [
    { ...linear("q_a_proj", queryLoraRank, hidden, "none"), fusedInto: `${prefix}.fused_wqa_wkv` },
    { ...linear("kv_proj", headDim, hidden, "none"), fusedInto: `${prefix}.fused_wqa_wkv` },
    vector(`${prefix}.q_a_norm`, queryLoraRank),
    vector(`${prefix}.kv_norm`, headDim),
    linear("q_b_proj", heads * headDim, queryLoraRank, "rows"),
    linear("o_a_proj", outputs, (heads * headDim) / outputGroups, "rows"),
    linear("o_b_proj", hidden, outputs, "columns"),
    { ...vector(`${prefix}.sinks`, heads), split: { along: "rows" }, loadedDtype: "float32" },
    ...(compression === undefined ? [] : compressorTensors(compression, headDim, hidden, `${prefix}.compressor`)),
    ...indexerTensors(attention, hidden, `${prefix}.compressor.indexer`),
  ];
}

/** Never quantized: two projections, a bias per place in the group, a norm. */
function compressorTensors(
  { rate, overlaps }: NonNullable<CompressedAttention["compression"]>,
  headDim: number,
  hidden: number,
  prefix: string,
): readonly TensorPart[] {
  const width = (overlaps ? 2 : 1) * headDim;
  return [
    { ...vector(`${prefix}.position_bias`, rate * width), loadedDtype: "float32" },
    { ...vector(`${prefix}.kv_proj`, width * hidden), fusedInto: `${prefix}.fused_wkv_wgate` },
    { ...vector(`${prefix}.gate_proj`, width * hidden), fusedInto: `${prefix}.fused_wkv_wgate` },
    vector(`${prefix}.kv_norm`, headDim),
  ];
}

function indexerTensors(attention: CompressedAttention, hidden: number, prefix: string): readonly TensorPart[] {
  const { indexer, compression, queryLoraRank } = attention;
  if (indexer === undefined || compression === undefined) {
    return [];
  }
  return [
    ...compressorTensors(compression, indexer.headDim, hidden, prefix),
    { module: `${prefix}.q_b_proj`, kind: "linear", rows: indexer.heads * indexer.headDim, columns: queryLoraRank },
    { module: `${prefix}.weights_proj`, kind: "router", rows: indexer.heads, columns: hidden },
  ];
}

function vector(module: string, size: number): TensorPart {
  return { module, kind: "vector", rows: size, columns: 1 };
}
