/**
 * Weights per GPU as loaded by vLLM: sharded, fused, padded, rounded by the CUDA allocator, plus
 * tables.
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

export interface Sharding {
  readonly tensorParallel: number;
  /** Experts are whole, and spread over tensor parallel GPUs. */
  readonly expertParallel: boolean;
}

export interface WeightSharding extends Sharding {
  readonly stage: PipelineStage;
  readonly format: WeightFormat;
  readonly expertKernel: ExpertKernel;
  /** See VllmConstants. */
  readonly mxfp4: Mxfp4Rules;
  /** Padding multiple of each GPU's share of the FP8 expert width (expert-kernels.ts). */
  readonly fp8ExpertMultiple: number;
  /** Same for NVFP4 experts (nvfp4-experts.ts). */
  readonly nvfp4ExpertMultiple: number;
  readonly rowPadding: RowPadding;
  /** See VllmConstants. */
  readonly latentWorkspaceMiB: number;
  readonly maxNumBatchedTokens: number;
}

/** A parameter on one GPU, on any pipeline stage. */
interface LoadedParameter {
  /** Represents all tensors fused into it, which are together. */
  readonly tensor: ModelTensor;
  readonly bytes: number;
  /** Part of latent attention, whose back end needs its workspace. */
  readonly latent: boolean;
}

/** Parameters on one GPU of a sharding, with cached sums by stage. */
interface LoadedModel {
  readonly parameters: readonly LoadedParameter[];
  /** By number of layers before the stage and at its end. */
  readonly onStages: Map<string, { readonly bytes: number; readonly latent: boolean }>;
}

/** Weight bytes on one GPU of a stage, including memory left by loading ("Model loading took"). */
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

/** Cached: planners try many loads per sharding. */
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

/** Multi-token prediction layers are not loaded; tied embeddings are also needed at the head. */
function isLoadedOn(tensor: ModelTensor, stage: PipelineStage, architecture: ModelArchitecture): boolean {
  const embedding = stage.isFirst || (stage.isLast && architecture.tieEmbeddings && tensor.kind === "embedding");
  return tensor.part !== "multi-token-prediction" && isOnStage(tensor, stage, embedding);
}

/** Bytes of each allocation of a parameter, which may fuse several tensors. */
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

/** Kernels use their own shapes and number types for expert biases. */
function isBiasOfMxfp4({ module, rows, columns }: ModelTensor, format: WeightFormat): boolean {
  if (!module.includes(".experts.") || !module.endsWith(".bias")) {
    return false;
  }
  return schemeFor(format, { module, kind: "expert", rows, columns })?.name === "mxfp4";
}

function shardBytes(tensor: ModelTensor, sharding: WeightSharding): number {
  const scheme = schemeFor(sharding.format, asMatrix(tensor));
  const { count, ...shape } = shard(tensor, sharding);
  const { rows, columns } = padded(tensor, shape, widthMultiple(tensor, scheme, sharding));
  const stored = storedAs(tensor, sharding.format);
  if (stored !== undefined) {
    // packed values have no own shape: their bytes are split proportionally; an empty tensor has
    // none
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

/** Pads the split side of the matrix, an expert's inner width. */
function padded({ split }: ModelTensor, shape: { rows: number; columns: number }, multiple: number) {
  return split.along === "columns"
    ? { ...shape, columns: roundUp(shape.columns, multiple) }
    : { ...shape, rows: roundUp(shape.rows, multiple) };
}

/**
 * One GPU's share of identical tensors. With expert parallelism experts are whole, and the first
 * GPUs have one more if uneven (determine_expert_map of 0.19.1, fused_moe/expert_map_manager.py of
 * 0.33.0).
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
      // KV heads are whole and replicated on more GPUs than heads
      return split.units === undefined
        ? { rows: rows / tensorParallel, columns }
        : { rows: (rows / split.units) * Math.max(1, split.units / tensorParallel), columns };
  }
}

/**
 * Allocation of PyTorch's caching allocator: from 10 MiB in whole 2 MiB blocks, returning a rest
 * only above 1 MiB (c10/cuda/CUDACachingAllocator, kMinLargeAlloc, kSmallSize).
 */
export function allocatedBytes(bytes: number): number {
  if (bytes < 10 * BYTES_PER_MIB) {
    return roundUp(bytes, 512);
  }
  const segment = roundUp(bytes, 2 * BYTES_PER_MIB);
  return segment - bytes > BYTES_PER_MIB ? roundUp(bytes, 512) : segment;
}

/** Sine and cosine tables, in the model's dtype when vLLM compiles the model, its default. */
function rotaryBytes(architecture: ModelArchitecture): number {
  return architecture.rotaryTables.reduce(
    (total, table) =>
      total + table.positions * table.rotaryDim * DTYPE_BYTES[table.dtype ?? architecture.checkpointDtype],
    0,
  );
}

/**
 * Buffers for image features of the first text layers: one per stacked tower layer and batch token,
 * on every GPU and stage (vLLM 0.19 to 0.33, qwen3_vl.py: deepstack_input_embeds).
 */
function stackedFeatureBytes({ vision, hiddenSize }: ModelArchitecture, sharding: WeightSharding): number {
  const buffer = sharding.maxNumBatchedTokens * hiddenSize * DTYPE_BYTES[sharding.format.baseDtype];
  return (vision?.stackedLayers ?? 0) * allocatedBytes(buffer);
}

/**
 * Additional memory of latent attention. Decoding uses both halves of kv_b_proj: views if
 * unquantized, else a second copy in the base dtype (mla_attention.py,
 * process_weights_after_loading). Selecting any attention back end allocates a workspace (see
 * VllmConstants).
 */
function latentCopyBytes(tensor: ModelTensor, { format, tensorParallel }: WeightSharding): number {
  if (!tensor.absorbed || schemeFor(format, asMatrix(tensor)) === undefined) {
    return 0;
  }
  const { rows, columns } = shardShape(tensor, tensorParallel);
  return rows * columns * DTYPE_BYTES[format.baseDtype];
}
