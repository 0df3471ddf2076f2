/**
 * Every weight of a model with shape, place and tensor-parallel split; totals, checkpoint sizes,
 * memory per GPU and GGUF files are sums over this list.
 */
import { type Dtype, type LayerSpec, type ModelArchitecture, mixersOf, type ProjectionShape } from "./architecture";
import { feedForwardTensors, mixerTensors } from "./layer-tensors";
import type { WeightFormat } from "./quantization";

export type TensorPlacement =
  | { readonly at: "embedding" }
  | { readonly at: "layer"; readonly layer: number }
  | { readonly at: "head" }
  | { readonly at: "vision" }
  /** Unknown pipeline stage: counted on every one. */
  | { readonly at: "everywhere" };

export interface ModelTensor {
  /** As in the checkpoint, without ".weight". */
  readonly module: string;
  readonly part: "text" | "vision" | "multi-token-prediction";
  readonly placement: TensorPlacement;
  /** Linear and expert matrices can be quantized; router, vectors and tables cannot. */
  readonly kind: "linear" | "expert" | "embedding" | "head" | "router" | "vector";
  readonly rows: number;
  readonly columns: number;
  /** Identical tensors: experts of a layer, layers of a tower. */
  readonly count: number;
  /** Copies in memory: 2 where keys are also values. */
  readonly loadedCopies: number;
  /** Decoding multiplies queries and outputs with its halves (latent attention). */
  readonly absorbed: boolean;
  /** Of unquantized tensors. @default the format's base dtype */
  readonly loadedDtype?: Dtype;
  /** Number of them that one token uses. */
  readonly activeCount: number;
  readonly split: TensorSplit;
  /** Parameter that an engine fuses it into. */
  readonly fusedInto: string;
  /** From the checkpoint's file, each of `count`; undefined where shape and format give it. */
  readonly stored?: StoredSize;
}

export interface StoredSize {
  /** The file's format; for others, shape and format decide. */
  readonly format: WeightFormat;
  readonly bytes: number;
  /** Whole, on one GPU. */
  readonly loadedBytes: number;
  /** 0 for companions of quantized weights; packed values count unpacked. */
  readonly parameters: number;
}

/** units: indivisible pieces of rows (KV heads), replicated beyond their number. */
export type TensorSplit =
  | { readonly along: "rows"; readonly units?: number }
  | { readonly along: "columns" }
  | { readonly along: "vocabulary" }
  | { readonly along: "none" };

const inventories = new WeakMap<ModelArchitecture, readonly ModelTensor[]>();

/** In model order; cached per architecture. */
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

export function parameterCount(tensor: ModelTensor): number {
  return parametersEach(tensor) * tensor.count;
}

export function parametersEach({ stored, rows, columns }: ModelTensor): number {
  return stored?.parameters ?? rows * columns;
}

/** Undefined where the weights get another format. */
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
      // formats never quantize towers, so matrices count as tables
      kind: "embedding",
      split: vision.replicated ? { along: "none" } : splitOf(shape),
      part: "vision",
      placement: { at: "vision" },
      count: shape.count,
      activeCount: shape.count,
    }),
  );
}

/** Multi-token-prediction layers, with norms and the matrix that joins two hidden states. */
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
