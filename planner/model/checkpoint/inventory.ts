/**
 * Tensors of a model without a reader, split over GPUs as vLLM splits projections of these names.
 * Unknown names count whole on every GPU of a stage: the upper bound.
 */
import { DTYPE_BYTES, type ModelArchitecture } from "../architecture";
import type { WeightFormat } from "../quantization";
import type { ModelTensor, TensorPlacement, TensorSplit } from "../tensors";
import type { Checkpoint } from "./checkpoint";
import type { CheckpointLayout, PlacedTensor } from "./layout";
import { roleOf, type TensorRole } from "./role";
import { elementCount, type StoredTensor } from "./safetensors-header";
import { isPlainMatrix, loadedBytes, parametersIn } from "./stored-values";

export interface StoredInventory {
  readonly tensors: readonly ModelTensor[];
  /** Layer matrices that count whole, with unknown names. */
  readonly unrecognized: readonly StoredTensor[];
}

type Facts = Pick<
  ModelArchitecture,
  "layers" | "layerSpecs" | "heads" | "kvHeads" | "headDim" | "experts" | "quantization"
> & {
  /** Layers beyond the last predict multiple tokens; plain serving in vLLM does not load them. */
  readonly predictsTokens: boolean;
};

/** A part that is split as a whole: experts of one shape, queries, keys with values. */
interface Part {
  readonly rows: number;
  readonly columns: number;
  readonly split: TensorSplit;
  /** Of the tensor's bytes. */
  readonly fraction: number;
}

export function storedInventory(layout: CheckpointLayout, facts: Facts): StoredInventory {
  const entries = new Map<string, ModelTensor>();
  const unrecognized: StoredTensor[] = [];
  for (const placed of layout.tensors) {
    const role = roleOf(placed);
    if (placed.place.at === "layer" && role.projection === undefined && isPlainMatrix(placed.tensor)) {
      unrecognized.push(placed.tensor);
    }
    for (const [index, entry] of entriesOf(placed, role, facts).entries()) {
      // experts of a layer differ only by number
      const { dtype, shape, name } = placed.tensor;
      const key =
        role.experts === "one"
          ? `${entry.fusedInto} ${role.projection} ${dtype} ${shape.join(" ")}`
          : `${name} ${index}`;
      const known = entries.get(key);
      entries.set(key, known === undefined ? entry : { ...known, count: known.count + entry.count });
    }
  }
  const tensors = [...entries.values()].map((entry) => ({ ...entry, activeCount: activeCount(entry, facts) }));
  return { tensors, unrecognized };
}

/** Bytes without shapes: equal per layer, split evenly. */
export function evenInventory(
  { layers, quantization: format }: Pick<Facts, "layers" | "quantization">,
  { tensorBytes }: Checkpoint,
): readonly ModelTensor[] {
  const bytes = tensorBytes / layers;
  const parameters = bytes / DTYPE_BYTES[format.baseDtype];
  return Array.from({ length: layers }, (_, layer) => ({
    module: `model.layers.${layer}`,
    part: "text",
    placement: { at: "layer", layer },
    kind: "vector",
    rows: parameters,
    columns: 1,
    count: 1,
    loadedCopies: 1,
    absorbed: false,
    activeCount: 1,
    split: { along: "rows" },
    fusedInto: `model.layers.${layer}`,
    stored: { format, bytes, loadedBytes: bytes, parameters },
  }));
}

/** A token does not use experts it is not routed to. */
function activeCount({ kind, module, count, part }: ModelTensor, { experts }: Facts): number {
  if (part === "multi-token-prediction") {
    return 0;
  }
  const routed = kind === "expert" || module.includes(".experts.");
  return routed && experts !== undefined ? Math.min(count, experts.expertsPerToken) : count;
}

/** Latent attention multiplies with the projection's halves, unless whole heads are cached. */
function isAbsorbed({ name }: StoredTensor, { layerSpecs }: Facts): boolean {
  const cachesHeads = layerSpecs.some(({ mixer }) => mixer.kind === "latent" && mixer.caches === "heads");
  return name.endsWith(".self_attn.kv_b_proj.weight") && !cachesHeads;
}

function entriesOf(placed: PlacedTensor, role: TensorRole, facts: Facts): readonly ModelTensor[] {
  const { tensor } = placed;
  const count = role.experts === "all" && tensor.shape.length > 1 ? (tensor.shape[0] ?? 1) : 1;
  const format = facts.quantization;
  return partsOf(placed, role, facts).map((part) => ({
    module: tensor.name.replace(/\.weight$/, ""),
    ...whereOf(placed, facts),
    kind: kindOf(placed, role),
    rows: part.rows,
    columns: part.columns,
    count,
    loadedCopies: 1,
    absorbed: isAbsorbed(tensor, facts),
    activeCount: count,
    split: part.split,
    fusedInto: placed.place.at === "layer" ? role.fusedInto : tensor.name,
    stored: storedSize(tensor, format, part.fraction / Math.max(1, count)),
  }));
}

function storedSize(tensor: StoredTensor, format: WeightFormat, fraction: number): NonNullable<ModelTensor["stored"]> {
  return {
    format,
    bytes: tensor.bytes * fraction,
    loadedBytes: loadedBytes(tensor, format) * fraction,
    parameters: parametersIn(tensor, format) * fraction,
  };
}

function whereOf({ place }: PlacedTensor, facts: Facts): { placement: TensorPlacement; part: ModelTensor["part"] } {
  switch (place.at) {
    case "layer":
      if (place.layer < facts.layers) {
        return { placement: place, part: "text" };
      }
      return facts.predictsTokens
        ? { placement: place, part: "multi-token-prediction" }
        : { placement: { at: "head" }, part: "text" };
    case "prediction":
      return { placement: { at: "head" }, part: "multi-token-prediction" };
    case "tower":
      return { placement: { at: "vision" }, part: "vision" };
    case "embedding":
    case "head":
      return { placement: { at: place.at }, part: "text" };
    case "finalNorm":
      return { placement: { at: "head" }, part: "text" };
    case "elsewhere":
      return { placement: { at: "everywhere" }, part: "text" };
  }
}

/** Only tensors that a format can replace are linear; packed values have no shape. */
function kindOf({ tensor, place }: PlacedTensor, role: TensorRole): ModelTensor["kind"] {
  if (!isPlainMatrix(tensor)) {
    return "vector";
  }
  if (place.at === "embedding" || place.at === "head") {
    return place.at;
  }
  if (place.at !== "layer" || role.projection === undefined) {
    return "vector";
  }
  if (role.experts !== undefined) {
    return "expert";
  }
  return role.cut === "whole" ? "vector" : "linear";
}

function partsOf({ tensor, place }: PlacedTensor, role: TensorRole, facts: Facts): readonly Part[] {
  const { rows, columns } = matrixShape(tensor, role);
  const whole: Part = { rows, columns, split: { along: "none" }, fraction: 1 };
  if (elementCount(tensor) <= 1) {
    return [whole];
  }
  if (place.at === "embedding" || place.at === "head") {
    return [isPlainMatrix(tensor) ? { ...whole, split: { along: "vocabulary" } } : whole];
  }
  if (place.at !== "layer") {
    return [whole];
  }
  const { kvHeads } = facts;
  switch (role.cut) {
    case "rows":
      return [{ ...whole, split: { along: "rows" } }];
    case "columns":
      return [columns > 1 ? { ...whole, split: { along: "columns" } } : whole];
    case "heads":
      return [kvHeads > 0 && rows % kvHeads === 0 ? { ...whole, split: { along: "rows", units: kvHeads } } : whole];
    case "headsAndQueries":
      return queriesAndHeads(whole, tensor, facts);
    case "whole":
      return [whole];
  }
}

/** One matrix of queries, keys and values: the latter are whole heads, repeated on further GPUs. */
function queriesAndHeads(whole: Part, tensor: StoredTensor, { heads, kvHeads, headDim }: Facts): readonly Part[] {
  const all = (heads + 2 * kvHeads) * headDim;
  if (all === 0 || !tensor.shape.includes(all)) {
    return [whole];
  }
  const part = (count: number, units?: number): Part => ({
    ...whole,
    rows: count * headDim,
    columns: elementCount(tensor) / all,
    split: { along: "rows", ...(units !== undefined && { units }) },
    fraction: count / (heads + 2 * kvHeads),
  });
  return [part(heads), part(2 * kvHeads, kvHeads)];
}

/** Outputs and inputs; of one expert where a tensor holds all. */
function matrixShape({ shape }: StoredTensor, role: TensorRole): { readonly rows: number; readonly columns: number } {
  const [rows = 1, ...rest] = role.experts === "all" && shape.length > 1 ? shape.slice(1) : shape;
  return { rows, columns: rest.reduce((product, size) => product * size, 1) };
}
