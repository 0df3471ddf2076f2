/**
 * The tensor inventory: every weight of a model with its shape, its place and how tensor parallelism cuts it.
 * Totals, checkpoint sizes, memory per GPU and GGUF files are all sums over this list.
 */
import { type Dtype, type LayerSpec, type ModelArchitecture, mixersOf, type ProjectionShape } from "./architecture";
import { feedForwardTensors, mixerTensors } from "./layer-tensors";
import type { WeightFormat } from "./quantization";

export type TensorPlacement =
  | { readonly at: "embedding" }
  | { readonly at: "layer"; readonly layer: number }
  | { readonly at: "head" }
  | { readonly at: "vision" }
  /** Nobody knows which stage of a pipeline needs it: counted on every one. */
  | { readonly at: "everywhere" };

export interface ModelTensor {
  /** Module name as in the checkpoint, without ".weight". */
  readonly module: string;
  readonly part: "text" | "vision" | "multi-token-prediction";
  readonly placement: TensorPlacement;
  /** linear and expert matrices can be quantized; router, vectors and tables stay in the base dtype. */
  readonly kind: "linear" | "expert" | "embedding" | "head" | "router" | "vector";
  readonly rows: number;
  readonly columns: number;
  /** Identical tensors: the experts of a layer, the layers of a vision tower. */
  readonly count: number;
  /** How often an engine holds it in memory: 2 where keys also serve as values. */
  readonly loadedCopies: number;
  /** Decoding multiplies queries and outputs with its halves instead (latent attention). */
  readonly absorbed: boolean;
  /** dtype of the loaded tensor where it is not quantized; the format's base dtype when absent. */
  readonly loadedDtype?: Dtype;
  /** How many of them one token uses. */
  readonly activeCount: number;
  readonly split: TensorSplit;
  /** Name of the parameter that an engine fuses this tensor into. */
  readonly fusedInto: string;
  /** What the checkpoint's file says of it, each of `count`; undefined where it follows from shape and format. */
  readonly stored?: StoredSize;
}

/** Sizes of a tensor as a file has it. */
export interface StoredSize {
  /** The format that the file has: in another one, shape and format decide. */
  readonly format: WeightFormat;
  readonly bytes: number;
  /** Whole, on one GPU. */
  readonly loadedBytes: number;
  /** 0 for scales and other companions of quantized weights; packed values are counted as what they unpack to. */
  readonly parameters: number;
}

/** units: rows come in that many indivisible pieces (KV heads), replicated beyond their number. */
export type TensorSplit =
  | { readonly along: "rows"; readonly units?: number }
  | { readonly along: "columns" }
  | { readonly along: "vocabulary" }
  | { readonly along: "none" };

const inventories = new WeakMap<ModelArchitecture, readonly ModelTensor[]>();

/** Every tensor of the checkpoint, in model order. Computed once per architecture. */
export function tensorInventory(architecture: ModelArchitecture): readonly ModelTensor[] {
  const known = inventories.get(architecture);
  if (known !== undefined) {
    return known;
  }
  const inventory = architecture.checkpoint?.inventory ?? [
    ...embeddingTensors(architecture),
    ...architecture.layerSpecs.flatMap((spec, layer) => layerTensors(spec, layer, architecture.hiddenSize)),
    ...headTensors(architecture),
    ...visionTensors(architecture),
    ...predictionTensors(architecture),
  ];
  inventories.set(architecture, inventory);
  return inventory;
}

/** Number of parameters of one inventory entry. */
export function parameterCount(tensor: ModelTensor): number {
  return parametersEach(tensor) * tensor.count;
}

/** Number of parameters of each of the entry's tensors. */
export function parametersEach({ stored, rows, columns }: ModelTensor): number {
  return stored?.parameters ?? rows * columns;
}

/** The sizes that a tensor's file states, unless the weights are to have another format. */
export function storedAs({ stored }: ModelTensor, format: WeightFormat): StoredSize | undefined {
  return stored?.format === format ? stored : undefined;
}

function embeddingTensors(architecture: ModelArchitecture): readonly ModelTensor[] {
  const placement = { at: "embedding" } as const;
  return [
    entry({
      module: "model.embed_tokens",
      placement,
      kind: "embedding",
      rows: architecture.vocabSize,
      columns: architecture.hiddenSize,
      split: { along: architecture.wholeEmbedding ? "none" : "vocabulary" },
    }),
    ...outerTensors(architecture, "embedding"),
  ];
}

function headTensors(architecture: ModelArchitecture): readonly ModelTensor[] {
  const placement = { at: "head" } as const;
  const { vocabSize, hiddenSize } = architecture;
  const norms = architecture.finalNormVectors * (architecture.finalNormBias ? 2 : 1);
  return [
    ...(norms > 0
      ? [entry({ module: "model.norm", placement, kind: "vector", rows: norms * hiddenSize, columns: 1 })]
      : []),
    ...(architecture.tieEmbeddings
      ? []
      : [
          entry({
            module: "lm_head",
            placement,
            kind: "head",
            rows: vocabSize,
            columns: hiddenSize,
            split: { along: "vocabulary" },
          }),
        ]),
    ...(architecture.headBias
      ? [
          entry({
            module: "lm_head.bias",
            placement,
            kind: "vector",
            rows: vocabSize,
            columns: 1,
            split: { along: "vocabulary" },
          }),
        ]
      : []),
    ...outerTensors(architecture, "head"),
  ];
}

function outerTensors(architecture: ModelArchitecture, at: "embedding" | "head"): readonly ModelTensor[] {
  return architecture.outerTensors
    .filter((tensor) => tensor.placement === at)
    .map((tensor) =>
      entry({
        module: tensor.name,
        placement: { at },
        kind: "embedding",
        rows: tensor.rows,
        columns: tensor.columns,
        split: { along: tensor.split },
      }),
    );
}

function layerTensors(spec: LayerSpec, layer: number, hidden: number): readonly ModelTensor[] {
  const prefix = `model.layers.${layer}`;
  const placement = { at: "layer", layer } as const;
  const norms = spec.normVectors * (spec.normBias ? 2 : 1);
  return [
    ...mixersOf(spec).flatMap((mixer) => mixerTensors(mixer, hidden, prefix)),
    ...feedForwardTensors(spec.feedForward, hidden, prefix),
    ...(norms > 0 ? [{ module: `${prefix}.norms`, kind: "vector" as const, rows: norms * hidden, columns: 1 }] : []),
    ...(spec.extras ?? []).map((shape) => projection(shape, prefix)),
  ].map((part) => entry({ ...part, placement }));
}

function visionTensors(architecture: ModelArchitecture): readonly ModelTensor[] {
  const { vision } = architecture;
  if (vision === undefined) {
    return [];
  }
  return vision.tensors.map((shape) =>
    entry({
      ...projection(shape, "vision"),
      // a tower is never quantized by the formats in use, so its matrices count as plain tables
      kind: "embedding",
      split: vision.replicated ? { along: "none" } : splitOf(shape),
      part: "vision",
      placement: { at: "vision" },
      count: shape.count,
      activeCount: shape.count,
    }),
  );
}

/** Extra layers for multi-token prediction, with the norms and the matrix that joins two hidden states. */
function predictionTensors(architecture: ModelArchitecture): readonly ModelTensor[] {
  const prediction = architecture.multiTokenPrediction;
  if (prediction === undefined) {
    return [];
  }
  const { hiddenSize, layers } = architecture;
  return prediction.layerSpecs.flatMap((spec, extra) => {
    const layer = layers + extra;
    const prefix = `model.layers.${layer}`;
    const tables = prediction.repeatsEmbeddings
      ? [embeddingTensors(architecture), headTensors(architecture).filter((tensor) => tensor.kind === "head")].flat()
      : [];
    const joints = [
      { module: `${prefix}.eh_proj`, kind: "embedding" as const, rows: hiddenSize, columns: 2 * hiddenSize },
      { module: `${prefix}.joint_norms`, kind: "vector" as const, rows: 3 * hiddenSize, columns: 1 },
    ].map((part) => entry({ ...part, placement: { at: "layer", layer } }));
    return [...tables, ...layerTensors(spec, layer, hiddenSize), ...joints].map((tensor) => ({
      ...tensor,
      part: "multi-token-prediction" as const,
      activeCount: 0,
    }));
  });
}

export type TensorPart = Pick<ModelTensor, "module" | "kind" | "rows" | "columns"> &
  Partial<
    Pick<
      ModelTensor,
      "count" | "loadedCopies" | "absorbed" | "loadedDtype" | "activeCount" | "split" | "fusedInto" | "part"
    >
  >;

function entry(part: TensorPart & Pick<ModelTensor, "placement">): ModelTensor {
  const count = part.count ?? 1;
  return {
    count,
    loadedCopies: 1,
    absorbed: false,
    activeCount: count,
    part: "text",
    split: { along: "none" },
    fusedInto: part.module,
    ...part,
  };
}

/** A projection of a mixer as an inventory part. */
export function projection(shape: ProjectionShape, prefix: string): TensorPart {
  return {
    module: `${prefix}.${shape.name}`,
    kind: shape.inputs > 1 && shape.name.includes("proj") ? "linear" : "vector",
    rows: shape.outputs,
    columns: shape.inputs,
    split: splitOf(shape),
    ...(shape.loadedDtype !== undefined && { loadedDtype: shape.loadedDtype }),
  };
}

function splitOf(shape: ProjectionShape): TensorSplit {
  if (shape.split === "none") {
    return { along: "none" };
  }
  return shape.split === "outputs" ? { along: "rows", units: shape.units } : { along: "columns" };
}
