/** Tensors of a layer's mixer and feed-forward block, with the names in quantization configs. */
import type { FeedForward, GroupedQueryAttention, LatentAttention, Mixer, MixtureOfExperts } from "./architecture";
import { compressedTensors } from "./compressed-tensors";
import { projection, type TensorPart, type TensorSplit } from "./tensors";

const BY_ROWS: TensorSplit = { along: "rows" };
const BY_COLUMNS: TensorSplit = { along: "columns" };

export function mixerTensors(mixer: Mixer, hidden: number, prefix: string): readonly TensorPart[] {
  switch (mixer.kind) {
    case "attention":
      return groupedQueryTensors(mixer, hidden, `${prefix}.self_attn`);
    case "latent":
      return latentTensors(mixer, hidden, `${prefix}.self_attn`);
    case "windowed-convolution":
      return mixer.projections.map((shape) => projection(shape, prefix));
    case "compressed":
      return compressedTensors(mixer, hidden, `${prefix}.self_attn`);
    case "recurrent":
      return mixer.projections.map((shape) => projection(shape, `${prefix}.${recurrentModule(mixer.variant)}`));
    case "none":
      return [];
  }
}

function recurrentModule(variant: string): string {
  return variant.startsWith("mamba") ? "mixer" : "linear_attn";
}

function groupedQueryTensors(attention: GroupedQueryAttention, hidden: number, prefix: string): readonly TensorPart[] {
  if (attention.borrowsWeights) {
    return [];
  }
  const queries = attention.heads * attention.headDim;
  const keys = attention.kvHeads * attention.headDim;
  const valueHeadDim = attention.valueHeadDim ?? attention.headDim;
  const values = attention.kvHeads * valueHeadDim;
  const fusedInto = `${prefix}.qkv_proj`;
  const { keyValueProjections } = attention;
  const byHeads: TensorSplit = { along: "rows", units: attention.kvHeads };
  const keysOnly = keyValueProjections === "keys";
  const projections = [
    { name: "q_proj", rows: attention.outputGate ? 2 * queries : queries, split: BY_ROWS, loadedCopies: 1 },
    ...(keyValueProjections === "none"
      ? []
      : [{ name: "k_proj", rows: keys, split: byHeads, loadedCopies: keysOnly ? 2 : 1 }]),
    ...(keyValueProjections === undefined ? [{ name: "v_proj", rows: values, split: byHeads, loadedCopies: 1 }] : []),
  ];
  return [
    ...projections.map(({ name, rows, split, loadedCopies }) => ({
      module: `${prefix}.${name}`,
      kind: "linear" as const,
      rows,
      columns: hidden,
      split,
      loadedCopies,
      fusedInto,
    })),
    ...(attention.queryKeyValueBias
      ? projections.map(({ name, rows, split }) => ({
          ...vector(`${prefix}.${name}.bias`, rows),
          split,
          fusedInto: `${fusedInto}.bias`,
        }))
      : []),
    {
      module: `${prefix}.o_proj`,
      kind: "linear",
      rows: hidden,
      columns: attention.heads * valueHeadDim,
      split: BY_COLUMNS,
    },
    ...(attention.outputBias ? [vector(`${prefix}.o_proj.bias`, hidden)] : []),
    ...queryKeyNorms(attention, prefix),
    ...(attention.sinks ? [vector(`${prefix}.sinks`, attention.heads, BY_ROWS)] : []),
    ...groupedIndexerTensors(attention, hidden, prefix),
  ];
}

/**
 * Fused with queries, keys and values; heads split like KV heads
 * (MinimaxM3QKVParallelLinearWithIndexer).
 */
function groupedIndexerTensors(
  { indexer }: GroupedQueryAttention,
  hidden: number,
  prefix: string,
): readonly TensorPart[] {
  if (indexer === undefined) {
    return [];
  }
  const { heads, headDim } = indexer;
  const fused = { kind: "linear", columns: hidden, fusedInto: `${prefix}.qkv_proj` } as const;
  return [
    {
      ...fused,
      module: `${prefix}.indexer.q_proj`,
      rows: heads * headDim,
      split: { along: "rows", units: heads },
    },
    { ...fused, module: `${prefix}.indexer.k_proj`, rows: headDim },
    vector(`${prefix}.indexer.norms`, 2 * headDim),
  ];
}

function queryKeyNorms(attention: GroupedQueryAttention, prefix: string): readonly TensorPart[] {
  switch (attention.queryKeyNorm) {
    case "none":
      return [];
    case "head":
      return [vector(`${prefix}.qk_norm`, (attention.keyValueProjections === "none" ? 1 : 2) * attention.headDim)];
    case "projection":
      return [vector(`${prefix}.qk_norm`, (attention.heads + attention.kvHeads) * attention.headDim, BY_ROWS)];
  }
}

function latentTensors(attention: LatentAttention, hidden: number, prefix: string): readonly TensorPart[] {
  const { heads, kvLoraRank, nopeHeadDim, ropeHeadDim, valueHeadDim, queryLoraRank } = attention;
  const queries = heads * (nopeHeadDim + ropeHeadDim);
  const linear = (name: string, rows: number, columns: number, split: TensorSplit): TensorPart => ({
    module: `${prefix}.${name}`,
    kind: "linear",
    rows,
    columns,
    split,
  });
  const whole: TensorSplit = { along: "none" };
  return [
    ...(queryLoraRank === undefined
      ? [linear("q_proj", queries, hidden, BY_ROWS)]
      : [
          linear("q_a_proj", queryLoraRank, hidden, whole),
          vector(`${prefix}.q_a_layernorm`, queryLoraRank),
          linear("q_b_proj", queries, queryLoraRank, BY_ROWS),
        ]),
    linear("kv_a_proj_with_mqa", kvLoraRank + ropeHeadDim, hidden, whole),
    vector(`${prefix}.kv_a_layernorm`, kvLoraRank),
    {
      ...linear("kv_b_proj", heads * (nopeHeadDim + valueHeadDim), kvLoraRank, BY_ROWS),
      absorbed: attention.caches === "latent",
    },
    linear("o_proj", hidden, heads * valueHeadDim, BY_COLUMNS),
    ...indexerTensors(attention, hidden, prefix),
  ];
}

function indexerTensors(
  { indexer, queryLoraRank }: LatentAttention,
  hidden: number,
  prefix: string,
): readonly TensorPart[] {
  if (indexer === undefined) {
    return [];
  }
  const matrix = (name: string, rows: number, columns: number): TensorPart => ({
    module: `${prefix}.indexer.${name}`,
    kind: "linear",
    rows,
    columns,
  });
  return [
    matrix("wq_b", indexer.heads * indexer.headDim, queryLoraRank ?? hidden),
    matrix("wk", indexer.headDim, hidden),
    vector(`${prefix}.indexer.k_norm`, 2 * indexer.headDim),
    { ...matrix("weights_proj", indexer.heads, hidden), kind: "router" },
  ];
}

export function feedForwardTensors(block: FeedForward, hidden: number, prefix: string): readonly TensorPart[] {
  switch (block.kind) {
    case "dense":
      return denseTensors(block, hidden, `${prefix}.mlp`);
    case "experts":
      // with a dense block as "mlp", checkpoints keep the experts one level higher
      return block.parallelDense === undefined
        ? expertTensors(block, hidden, `${prefix}.mlp`)
        : [...expertTensors(block, hidden, prefix), ...denseTensors(block.parallelDense, hidden, `${prefix}.mlp`)];
    case "none":
      return [];
  }
}

interface BlockShape {
  readonly width: number;
  readonly gated: boolean;
  readonly bias: boolean;
}

function denseTensors({ width, gated, bias }: BlockShape, hidden: number, prefix: string): readonly TensorPart[] {
  const up = gated ? ["gate_proj", "up_proj"] : ["up_proj"];
  const fusedInto = `${prefix}.gate_up_proj`;
  return [
    ...up.map(
      (name): TensorPart => ({
        module: `${prefix}.${name}`,
        kind: "linear",
        rows: width,
        columns: hidden,
        split: BY_ROWS,
        fusedInto,
      }),
    ),
    { module: `${prefix}.down_proj`, kind: "linear", rows: hidden, columns: width, split: BY_COLUMNS },
    ...(bias
      ? [vector(`${prefix}.up.bias`, up.length * width, BY_ROWS), vector(`${prefix}.down_proj.bias`, hidden)]
      : []),
  ];
}

function expertTensors(block: MixtureOfExperts, hidden: number, prefix: string): readonly TensorPart[] {
  const { experts, expertsPerToken, width, gated } = block;
  const inner = block.latentSize ?? hidden;
  const each = { kind: "expert", count: experts, activeCount: expertsPerToken } as const;
  const up = gated ? ["gate_proj", "up_proj"] : ["up_proj"];
  const fusedInto = `${prefix}.experts.w13`;
  const module = (name: string): string => `${prefix}.experts.0.${name}`;
  return [
    {
      module: `${prefix}.gate`,
      kind: "router",
      rows: experts + (block.zeroExperts ?? 0),
      columns: hidden,
      ...(block.routerDtype !== undefined && { loadedDtype: block.routerDtype }),
    },
    ...(block.routerBias ? [vector(`${prefix}.gate.bias`, experts + (block.zeroExperts ?? 0))] : []),
    ...up.map(
      (name): TensorPart => ({ ...each, module: module(name), rows: width, columns: inner, split: BY_ROWS, fusedInto }),
    ),
    {
      ...each,
      module: module("down_proj"),
      rows: inner,
      columns: width,
      split: BY_COLUMNS,
      fusedInto: `${prefix}.experts.w2`,
    },
    ...(block.bias
      ? [
          ...up.map((name) => ({
            ...vector(module(`${name}.bias`), width, BY_ROWS),
            count: experts,
            activeCount: expertsPerToken,
            fusedInto: `${prefix}.experts.w13.bias`,
          })),
          { ...vector(module("down_proj.bias"), inner), count: experts, activeCount: expertsPerToken },
        ]
      : []),
    ...(block.latentSize === undefined
      ? []
      : [
          { module: `${prefix}.latent_in_proj`, kind: "linear" as const, rows: inner, columns: hidden },
          { module: `${prefix}.latent_out_proj`, kind: "linear" as const, rows: hidden, columns: inner },
        ]),
    ...(block.shared === undefined
      ? []
      : [
          ...denseTensors({ ...block.shared, bias: false }, hidden, `${prefix}.shared_experts`),
          ...(block.shared.gateVector ? [vector(`${prefix}.shared_expert_gate`, hidden)] : []),
        ]),
  ];
}

function vector(module: string, size: number, split: TensorSplit = { along: "none" }): TensorPart {
  return { module, kind: "vector", rows: size, columns: 1, split };
}
