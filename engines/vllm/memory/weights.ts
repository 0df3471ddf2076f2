/**
 * Weights on each GPU as vLLM holds them after loading: sharded by tensor and pipeline parallel, fused, padded,
 * rounded by the CUDA allocator, plus the tables built at load time.
 */

import { BYTES_PER_MIB, roundUp } from "../../../names/units";
import { isOnStage, type PipelineStage } from "../../../planner/memory/pipeline";
import { DTYPE_BYTES, type ModelArchitecture } from "../../../planner/model/architecture";
import { Kept } from "../../../planner/model/kept";
import { asMatrix } from "../../../planner/model/parameters";
import {
  type QuantizationScheme,
  schemeBytes,
  schemeFor,
  type WeightFormat,
} from "../../../planner/model/quantization";
import { type ModelTensor, storedAs, tensorInventory } from "../../../planner/model/tensors";
import { paddedVocabulary } from "../vocabulary";
import { type ExpertKernel, type Mxfp4Rules, mxfp4Allocations, mxfp4BiasBytes } from "./expert-kernels";
import { type RowPadding, rowPaddingBytes } from "./rocm-padding";

/** How GPUs divide matrices. */
export interface Sharding {
  readonly tensorParallel: number;
  /** Experts are whole, and spread over the tensor-parallel GPUs. */
  readonly expertParallel: boolean;
}

export interface WeightSharding extends Sharding {
  readonly stage: PipelineStage;
  readonly format: WeightFormat;
  readonly expertKernel: ExpertKernel;
  /** See VllmConstants. */
  readonly mxfp4: Mxfp4Rules;
  /** Multiple that each GPU's part of the width of FP8 experts is padded to (expert-kernels.ts). */
  readonly fp8ExpertMultiple: number;
  /** The same of NVFP4 experts (nvfp4-experts.ts). */
  readonly nvfp4ExpertMultiple: number;
  readonly rowPadding: RowPadding;
  /** See VllmConstants. */
  readonly latentWorkspaceMiB: number;
  readonly maxNumBatchedTokens: number;
}

/** One parameter of the loaded model on one GPU, whatever the pipeline stage. */
interface LoadedParameter {
  /** Stands for all tensors that are fused into it: they have one place. */
  readonly tensor: ModelTensor;
  readonly bytes: number;
  /** Belongs to latent attention, whose back end needs its workspace. */
  readonly latent: boolean;
}

/** The loaded model on one GPU of a sharding: all parameters, and their sums on the stages that were asked for. */
interface LoadedModel {
  readonly parameters: readonly LoadedParameter[];
  /** By number of layers before the stage and at its end. */
  readonly onStages: Map<string, { readonly bytes: number; readonly latent: boolean }>;
}

/** Bytes of weights on one GPU of a stage, and of what loading them leaves allocated ("Model loading took"). */
export function stageWeightBytes(architecture: ModelArchitecture, sharding: WeightSharding): number {
  const { bytes, latent } = onStage(architecture, sharding);
  const workspace = latent ? sharding.latentWorkspaceMiB * BYTES_PER_MIB : 0;
  return bytes + workspace + rotaryBytes(architecture) + stackedFeatureBytes(architecture, sharding);
}

function onStage(architecture: ModelArchitecture, sharding: WeightSharding) {
  const { stage } = sharding;
  const { parameters, onStages } = loadedModel(architecture, sharding);
  const key = `${stage.firstLayer} ${stage.endLayer}`;
  const known = onStages.get(key);
  if (known !== undefined) {
    return known;
  }
  const here = parameters.filter(({ tensor }) => isLoadedOn(tensor, stage, architecture));
  const sums = {
    bytes: here.reduce((total, { bytes }) => total + bytes, 0),
    latent: here.some(({ latent }) => latent),
  };
  onStages.set(key, sums);
  return sums;
}

const loaded = new WeakMap<ModelArchitecture, Kept<WeightFormat, string, LoadedModel>>();

/** A planner asks for many loads of one sharding: its parameters are computed once. */
function loadedModel(architecture: ModelArchitecture, sharding: WeightSharding): LoadedModel {
  const { format, stage: _stage, latentWorkspaceMiB: _workspace, maxNumBatchedTokens: _tokens, ...split } = sharding;
  const byFormat = loaded.get(architecture) ?? new Kept<WeightFormat, string, LoadedModel>();
  loaded.set(architecture, byFormat);
  return byFormat.get(format, JSON.stringify(split), () => ({
    parameters: loadedParameters(architecture, sharding),
    onStages: new Map(),
  }));
}

function loadedParameters(architecture: ModelArchitecture, sharding: WeightSharding): readonly LoadedParameter[] {
  const fused = new Map<string, ModelTensor[]>();
  for (const tensor of tensorInventory(architecture)) {
    const parts = fused.get(tensor.fusedInto);
    if (parts === undefined) {
      fused.set(tensor.fusedInto, [tensor]);
    } else {
      parts.push(tensor);
    }
  }
  return [...fused.values()].flatMap((parts) => {
    const [tensor] = parts;
    if (tensor === undefined) {
      return [];
    }
    const allocated = parameterAllocations(parts, sharding).reduce((total, bytes) => total + allocatedBytes(bytes), 0);
    const bytes = allocated + parts.reduce((total, part) => total + latentCopyBytes(part, sharding), 0);
    return [{ tensor, bytes, latent: parts.some(({ absorbed }) => absorbed) }];
  });
}

/** Multi-token-prediction layers are not loaded; a tied embedding is also needed where the head runs. */
function isLoadedOn(tensor: ModelTensor, stage: PipelineStage, architecture: ModelArchitecture): boolean {
  const embedding = stage.isFirst || (stage.isLast && architecture.tieEmbeddings && tensor.kind === "embedding");
  return tensor.part !== "multi-token-prediction" && isOnStage(tensor, stage, embedding);
}

/** Bytes of each allocation behind one parameter, which may fuse several tensors. */
function parameterAllocations(parts: readonly ModelTensor[], sharding: WeightSharding): readonly number[] {
  const [first] = parts;
  if (first === undefined) {
    return [];
  }
  if (first.kind === "expert" && schemeFor(sharding.format, asMatrix(first))?.name === "mxfp4") {
    const direction = first.split.along === "columns" ? "down" : "up";
    const { rows, columns, count } = shard(first, sharding);
    const [hidden, width] = direction === "down" ? [rows, columns] : [columns, rows];
    const matrix = { experts: count, direction, hidden, width, fused: parts.length } as const;
    return mxfp4Allocations(matrix, sharding.expertKernel, sharding.mxfp4);
  }
  if (isBiasOfMxfp4(first, sharding.format)) {
    const { rows, count } = shard(first, sharding);
    const direction = first.split.along === "rows" ? "up" : "down";
    return [
      mxfp4BiasBytes({ experts: count, direction, rows, fused: parts.length }, sharding.expertKernel, sharding.mxfp4),
    ];
  }
  return [parts.reduce((total, tensor) => total + shardBytes(tensor, sharding) * tensor.loadedCopies, 0)];
}

/** Kernels take the biases of their experts in shapes and number types of their own. */
function isBiasOfMxfp4({ module, rows, columns }: ModelTensor, format: WeightFormat): boolean {
  if (!module.includes(".experts.") || !module.endsWith(".bias")) {
    return false;
  }
  return schemeFor(format, { module, kind: "expert", rows, columns })?.name === "mxfp4";
}

/** Bytes of one GPU's part of a tensor. */
function shardBytes(tensor: ModelTensor, sharding: WeightSharding): number {
  const scheme = schemeFor(sharding.format, asMatrix(tensor));
  const { count, ...shape } = shard(tensor, sharding);
  const { rows, columns } = padded(tensor, shape, widthMultiple(tensor, scheme, sharding));
  const stored = storedAs(tensor, sharding.format);
  if (stored !== undefined) {
    // packed values have no shape of their own: their bytes are cut in proportion; an empty tensor has none
    return (stored.loadedBytes * count * rows * columns) / Math.max(1, tensor.rows * tensor.columns);
  }
  const valueBytes = scheme === undefined ? DTYPE_BYTES[tensor.loadedDtype ?? sharding.format.baseDtype] : 1;
  const bytes = scheme === undefined ? rows * columns * valueBytes : schemeBytes(scheme, rows, columns);
  return (bytes + rowPaddingBytes(tensor, scheme, { rows, columns }, valueBytes, sharding.rowPadding)) * count;
}

function widthMultiple(
  { kind }: ModelTensor,
  scheme: QuantizationScheme | undefined,
  sharding: WeightSharding,
): number {
  if (kind !== "expert") {
    return 1;
  }
  if (scheme?.name === "nvfp4") {
    return sharding.nvfp4ExpertMultiple;
  }
  return scheme?.staticInputs ? sharding.fp8ExpertMultiple : 1;
}

/** Pads the side along which the matrix is split, an expert's inner width. */
function padded({ split }: ModelTensor, shape: { rows: number; columns: number }, multiple: number) {
  return split.along === "columns"
    ? { ...shape, columns: roundUp(shape.columns, multiple) }
    : { ...shape, rows: roundUp(shape.rows, multiple) };
}

/**
 * One GPU's part of identical tensors. Under expert parallelism experts are whole, and the first GPUs take one more where
 * they do not come out even (determine_expert_map of 0.19.1, fused_moe/expert_map_manager.py of 0.33.0).
 */
export function shard(tensor: ModelTensor, { tensorParallel, expertParallel }: Sharding) {
  return expertParallel && tensor.module.includes(".experts.")
    ? { rows: tensor.rows, columns: tensor.columns, count: Math.ceil(tensor.count / tensorParallel) }
    : { ...shardShape(tensor, tensorParallel), count: tensor.count };
}

function shardShape({ rows, columns, split }: ModelTensor, tensorParallel: number): { rows: number; columns: number } {
  switch (split.along) {
    case "none":
      return { rows, columns };
    case "columns":
      return { rows, columns: columns / tensorParallel };
    case "vocabulary":
      return { rows: paddedVocabulary(rows) / tensorParallel, columns };
    case "rows":
      // KV heads are whole and replicated once there are more GPUs than heads
      return split.units === undefined
        ? { rows: rows / tensorParallel, columns }
        : { rows: (rows / split.units) * Math.max(1, split.units / tensorParallel), columns };
  }
}

/**
 * What PyTorch's caching allocator keeps for one request: from 10 MiB on it takes whole 2 MiB pieces and gives a
 * rest back only when that is larger than 1 MiB (c10/cuda/CUDACachingAllocator, kMinLargeAlloc, kSmallSize).
 */
export function allocatedBytes(bytes: number): number {
  if (bytes < 10 * BYTES_PER_MIB) {
    return roundUp(bytes, 512);
  }
  const segment = roundUp(bytes, 2 * BYTES_PER_MIB);
  return segment - bytes > BYTES_PER_MIB ? roundUp(bytes, 512) : segment;
}

/** Tables of sines and cosines; vLLM keeps them in the model's dtype wherever it compiles the model, the default. */
function rotaryBytes(architecture: ModelArchitecture): number {
  return architecture.rotaryTables.reduce(
    (total, table) =>
      total + table.positions * table.rotaryDim * DTYPE_BYTES[table.dtype ?? architecture.checkpointDtype],
    0,
  );
}

/**
 * Buffers for the image features that go into the first text layers: one per stacked tower layer, for a whole batch of
 * tokens, on every GPU and stage (vLLM 0.19 to 0.33, qwen3_vl.py: deepstack_input_embeds).
 */
function stackedFeatureBytes({ vision, hiddenSize }: ModelArchitecture, sharding: WeightSharding): number {
  const buffer = sharding.maxNumBatchedTokens * hiddenSize * DTYPE_BYTES[sharding.format.baseDtype];
  return (vision?.stackedLayers ?? 0) * allocatedBytes(buffer);
}

/**
 * What latent attention adds. Decoding multiplies with the two halves of kv_b_proj: views of it where it is
 * unquantized, else of a second copy in the base dtype (mla_attention.py, process_weights_after_loading). Choosing the
 * attention back end loads a module that allocates a workspace whatever is chosen (see VllmConstants).
 */
function latentCopyBytes(tensor: ModelTensor, { format, tensorParallel }: WeightSharding): number {
  if (!tensor.absorbed || schemeFor(format, asMatrix(tensor)) === undefined) {
    return 0;
  }
  const { rows, columns } = shardShape(tensor, tensorParallel);
  return rows * columns * DTYPE_BYTES[format.baseDtype];
}
