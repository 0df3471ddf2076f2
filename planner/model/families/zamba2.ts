/**
 * Zamba 2: Mamba 2 in every layer; some also run a transformer block with shared weights, own
 * adapters and an own cache. The block sees hidden state and embedding: twice the hidden size.
 * Sources: transformers 5.19, modeling_zamba2.py; vLLM 0.33, zamba2.py.
 */
import type { GroupedQueryAttention, LayerSpec, ProjectionShape } from "../architecture";
import type { ConfigSource } from "../config-source";
import { readGroupedQueryAttention, readPerLayer } from "./attention";
import { DIMENSION_KEYS, type FamilyReader, type TextModel } from "./family";
import { readMamba2 } from "./hybrid-mamba";
import { hybridModel, none, range } from "./hybrid-model";
import { biasIf, matrix } from "./recurrent";

const MAMBA_KEYS = {
  heads: ["n_mamba_heads"],
  headDim: ["mamba_headdim"],
  groups: ["mamba_ngroups"],
  state: ["mamba_d_state"],
  kernel: ["mamba_d_conv"],
  convolutionBias: ["use_conv_bias"],
  projectionBias: ["add_bias_linear"],
  norm: true,
} as const;

export const zamba2Reader: FamilyReader = { modelTypes: ["zamba2"], read: readZamba2 };

function readZamba2(source: ConfigSource): TextModel {
  const layers = source.count(DIMENSION_KEYS.layers);
  const hidden = source.size(DIMENSION_KEYS.hidden);
  const mamba = readMamba2(source, MAMBA_KEYS);
  const attention = readAttention(source, hidden);
  const types = readPerLayer(source, "layers_block_type", layers);
  if (types === undefined && !source.has("layers_block_type")) {
    source.problem("layers_block_type", 'is missing; expected "mamba" or "hybrid" for each layer');
  }
  const blocks = source.count("num_mem_blocks", 1);
  const shared = sharedBlock(source, hidden, attention);
  const adapters = [matrix("linear", hidden, hidden, "none"), ...readAdapters(source, hidden, attention)];
  let hybrids = 0;
  const layerSpecs = range(layers).map((layer): LayerSpec => {
    const base = { mixer: mamba, feedForward: none, normVectors: 1, normBias: false };
    if (types?.[layer] !== "hybrid") {
      return base;
    }
    hybrids += 1;
    // blocks alternate: each belongs to the first layer that runs it
    const extras = hybrids <= blocks ? [...shared, ...adapters] : adapters;
    return { ...base, mixer: { ...attention, borrowsWeights: true }, parallelMixer: mamba, extras };
  });
  return {
    ...hybridModel(source, layerSpecs, { tables: source.flag("use_mem_rope", false) }),
    tieEmbeddingsByDefault: true,
    singleStage: true,
  };
}

function readAttention(source: ConfigSource, hidden: number): GroupedQueryAttention {
  const base = readGroupedQueryAttention(source, {});
  const headDim = source.size("attention_head_dim", Math.max(1, Math.floor((2 * hidden) / base.heads)));
  return { ...base, headDim };
}

/** Held by the first layer that runs it. */
function sharedBlock(
  source: ConfigSource,
  hidden: number,
  { heads, kvHeads, headDim }: GroupedQueryAttention,
): readonly ProjectionShape[] {
  const width = source.size("intermediate_size", 4 * hidden);
  const bias = source.flag("add_bias_linear", false);
  const name = (part: string): string => `shared_transformer.${part}`;
  return [
    matrix(name("input_layernorm"), 2 * hidden, 1, "none"),
    matrix(name("self_attn.q_proj"), heads * headDim, 2 * hidden, "outputs"),
    matrix(name("self_attn.k_proj"), kvHeads * headDim, 2 * hidden, "outputs"),
    matrix(name("self_attn.v_proj"), kvHeads * headDim, 2 * hidden, "outputs"),
    matrix(name("self_attn.o_proj"), hidden, heads * headDim, "inputs"),
    matrix(name("pre_ff_layernorm"), hidden, 1, "none"),
    matrix(name("feed_forward.gate_up_proj"), 2 * width, hidden, "outputs"),
    ...biasIf(bias, name("feed_forward.gate_up_proj.bias"), 2 * width),
    matrix(name("feed_forward.down_proj"), hidden, width, "inputs"),
    ...(bias ? [matrix(name("feed_forward.down_proj.bias"), hidden, 1, "none")] : []),
  ];
}

/** Two thin matrices per layer that runs a shared one. */
function readAdapters(
  source: ConfigSource,
  hidden: number,
  { heads, headDim }: GroupedQueryAttention,
): readonly ProjectionShape[] {
  const rank = source.size("adapter_rank", 128);
  const adapter = (of: string, outputs: number, inputs: number): readonly ProjectionShape[] => [
    matrix(`${of}_proj_adapter.A`, rank, inputs, "outputs"),
    matrix(`${of}_proj_adapter.B`, outputs, rank, "outputs"),
  ];
  const width = source.size("intermediate_size", 4 * hidden);
  return [
    ...adapter("gate_up", 2 * width, hidden),
    ...(source.flag("use_shared_attention_adapter", false)
      ? ["q", "k", "v"].flatMap((of) => adapter(of, heads * headDim, 2 * hidden))
      : []),
  ];
}
