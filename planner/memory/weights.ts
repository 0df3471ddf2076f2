/**
 * Weights on each GPU as vLLM holds them after loading: sharded by tensor and pipeline parallel, fused, padded,
 * rounded by the CUDA allocator, plus the tables built at load time.
 */
import { dtypeBytes, type LatentAttention, type ModelArchitecture } from "../model/architecture";
import { asMatrix } from "../model/parameters";
import { schemeBytes, schemeFor, type WeightFormat } from "../model/quantization";
import { type ModelTensor, tensorInventory } from "../model/tensors";
import type { PipelineStage } from "./pipeline";
import { roundUp } from "./units";

export interface WeightSharding {
  readonly tensorParallel: number;
  readonly stage: PipelineStage;
  readonly format: WeightFormat;
  /** The card runs vLLM's Hopper kernels (H100, H200). */
  readonly hopper: boolean;
  /** See VllmConstants. */
  readonly paddedExpertRows: boolean;
}

/** vLLM pads the vocabulary to a multiple of this (DEFAULT_VOCAB_PADDING_SIZE). */
const vocabularyPadding = 64;
/** MXFP4 kernels work on multiples of these (mxfp4_round_up_hidden_size_and_intermediate_size, 0.33). */
const mxfp4Multiple = { hidden: 256, width: 128 } as const;

const mebibyte = 2 ** 20;

/** Bytes of weights on one GPU of a stage. */
export function stageWeightBytes(architecture: ModelArchitecture, sharding: WeightSharding): number {
  const allocations = new Map<string, number>();
  for (const tensor of tensorInventory(architecture)) {
    if (!isOnStage(tensor, sharding.stage, architecture)) continue;
    const bytes = shardBytes(tensor, sharding) * tensor.loadedCopies;
    allocations.set(tensor.fusedInto, (allocations.get(tensor.fusedInto) ?? 0) + bytes);
  }
  const weights = [...allocations.values()].reduce((total, bytes) => total + allocatedBytes(bytes), 0);
  return weights + rotaryBytes(architecture) + latentCopyBytes(architecture, sharding);
}

/** Multi-token-prediction layers are not loaded; a tied embedding is also needed where the head runs. */
function isOnStage(tensor: ModelTensor, stage: PipelineStage, architecture: ModelArchitecture): boolean {
  if (tensor.part === "multi-token-prediction") return false;
  switch (tensor.placement.at) {
    case "embedding":
      return stage.isFirst || (stage.isLast && architecture.tieEmbeddings && tensor.kind === "embedding");
    case "vision":
      return stage.isFirst;
    case "head":
      return stage.isLast;
    case "layer":
      return tensor.placement.layer >= stage.firstLayer && tensor.placement.layer < stage.endLayer;
  }
}

/** Bytes of one GPU's part of a tensor. */
function shardBytes(tensor: ModelTensor, sharding: WeightSharding): number {
  const { rows, columns } = shardShape(tensor, sharding.tensorParallel);
  const scheme = schemeFor(sharding.format, asMatrix(tensor));
  if (scheme === undefined) return rows * columns * tensor.count * dtypeBytes[sharding.format.baseDtype];
  const plain = schemeBytes(scheme, rows, columns);
  if (scheme.name !== "mxfp4" || tensor.kind !== "expert") return plain * tensor.count;
  return paddedMxfp4Bytes(tensor, rows, columns, plain, sharding) * tensor.count;
}

function shardShape({ rows, columns, split }: ModelTensor, tensorParallel: number): { rows: number; columns: number } {
  switch (split.along) {
    case "none":
      return { rows, columns };
    case "columns":
      return { rows, columns: columns / tensorParallel };
    case "vocabulary":
      return { rows: roundUp(rows, vocabularyPadding) / tensorParallel, columns };
    case "rows":
      // KV heads are whole and replicated once there are more GPUs than heads
      return split.units === undefined
        ? { rows: rows / tensorParallel, columns }
        : { rows: (rows / split.units) * Math.max(1, split.units / tensorParallel), columns };
  }
}

/** Marlin pads values and scales; the Triton kernel on Hopper pads the 4-bit values only. */
function paddedMxfp4Bytes(
  tensor: ModelTensor,
  rows: number,
  columns: number,
  plain: number,
  sharding: WeightSharding,
): number {
  const isDown = tensor.split.along === "columns";
  const [hidden, width] = isDown ? [rows, columns] : [columns, rows];
  const paddedHidden = roundUp(hidden, mxfp4Multiple.hidden);
  const paddedWidth = sharding.hopper && !sharding.paddedExpertRows ? width : roundUp(width, mxfp4Multiple.width);
  const factor = (paddedHidden * paddedWidth) / (hidden * width);
  if (!sharding.hopper) return plain * factor;
  const values = (rows * columns) / 2;
  return values * factor + (plain - values);
}

/**
 * What PyTorch's caching allocator keeps for one request: from 10 MiB on it takes whole 2 MiB pieces and gives a
 * rest back only when that is larger than 1 MiB (c10/cuda/CUDACachingAllocator, kMinLargeAlloc, kSmallSize).
 */
export function allocatedBytes(bytes: number): number {
  if (bytes < 10 * mebibyte) return roundUp(bytes, 512);
  const segment = roundUp(bytes, 2 * mebibyte);
  return segment - bytes > mebibyte ? roundUp(bytes, 512) : segment;
}

function rotaryBytes(architecture: ModelArchitecture): number {
  return architecture.rotaryTables.reduce(
    (total, table) =>
      total + table.positions * table.rotaryDim * (table.float32 ? 4 : dtypeBytes[architecture.checkpointDtype]),
    0,
  );
}

/** Latent attention keeps a second, unquantized copy of kv_b_proj, split into its key and value halves. */
function latentCopyBytes(architecture: ModelArchitecture, { stage, tensorParallel }: WeightSharding): number {
  return architecture.layerSpecs
    .slice(stage.firstLayer, stage.endLayer)
    .map((layer) => layer.mixer)
    .filter((mixer): mixer is LatentAttention => mixer.kind === "latent")
    .reduce(
      (total, mixer) =>
        total +
        (mixer.heads / tensorParallel) *
          (mixer.nopeHeadDim + mixer.valueHeadDim) *
          mixer.kvLoraRank *
          dtypeBytes[architecture.checkpointDtype],
      0,
    );
}
