/**
 * Memory of a model under Triton: a checkpoint through TensorRT-LLM's PyTorch back end, or the
 * user's figure for a repository. Not measured: rules of thumb with wide intervals.
 */
import { toGiB } from "../../names/units";
import { layerCaches } from "../../planner/memory/kv-cache";
import type { MemoryEstimate } from "../../planner/memory/types";
import { uncertaintyOf } from "../../planner/memory/uncertainty";
import { judge, type StageNeed } from "../../planner/memory/verdict";
import { DTYPE_BYTES, type ModelArchitecture } from "../../planner/model/architecture";
import { formatFor } from "../../planner/model/format-names";
import { asMatrix, weightBytes } from "../../planner/model/parameters";
import { checkpointMatrixBytes, type WeightFormat } from "../../planner/model/quantization";
import { type ModelTensor, storedAs, tensorInventory } from "../../planner/model/tensors";
import type { MemoryRequest } from "../memory-request";
import errorTerms from "./error-terms.json";
import { batchSize, DEFAULT_UTILIZATION, MAX_BATCHED_TOKENS } from "./limits";

/** CUDA context, libraries and Triton's pool per GPU (64 MiB by default), GiB. */
const PROCESS_GIB = 0.8;
/** Collective communication buffers per GPU (NCCL, all-reduce workspaces), GiB. */
const GROUP_GIB = 1;
/** CUDA graphs of TensorRT-LLM's batch sizes, captured by default, GiB. */
const GRAPHS_GIB = 0.7;
/** Copies of the residual stream alive in a step. */
const LIVE_COPIES = 4;

interface Traits {
  readonly figure: "computed" | "declared";
}

export function estimateTriton(request: MemoryRequest): MemoryEstimate {
  return request.declaredMemoryGiB === undefined
    ? estimateCheckpoint(request)
    : estimateDeclared(request, request.declaredMemoryGiB);
}

function estimateCheckpoint(request: MemoryRequest): MemoryEstimate {
  const { architecture, tensorParallel, contextTokens, concurrency, gpuMemoryGiB } = request;
  const utilization = request.utilization ?? DEFAULT_UTILIZATION;
  const budgetGiB = gpuMemoryGiB * utilization;
  const weights = toGiB(weightsPerGpu(architecture, formatFor(architecture, request.quantization), tensorParallel));
  const activation = toGiB(activationBytes(request));
  const nonTorch = PROCESS_GIB + (tensorParallel > 1 ? GROUP_GIB : 0);
  // Windows count in full: its cache manager keeps whole contexts by default.
  const oneRequestGiB = toGiB(
    layerCaches(architecture, request.kvCacheDtype, tensorParallel).reduce(
      (total, layer) => total + layer.bytesPerToken * contextTokens + layer.stateBytes,
      0,
    ),
  );
  const kvPoolGiB = Math.max(0, budgetGiB - weights - activation - nonTorch - GRAPHS_GIB);
  const need: StageNeed = {
    stage: 0,
    layers: architecture.layers,
    parts: { weights, kvCache: oneRequestGiB * concurrency, activation, nonTorch, graphs: GRAPHS_GIB },
    oneRequestGiB,
    budgetGiB,
    kvPoolGiB,
  };
  const requestCapacity = oneRequestGiB > 0 ? kvPoolGiB / oneRequestGiB : Number.POSITIVE_INFINITY;
  return {
    ...judge([need], uncertainty(request, "computed")),
    kvPoolGiB,
    utilization,
    kvTokens: oneRequestGiB > 0 ? Math.floor(requestCapacity * contextTokens) : 0,
    requiredTokens: contextTokens * concurrency,
    requestCapacity,
    basis: "computed from the checkpoint's tensors and rules of thumb for TensorRT-LLM 1.2.1; no start-up was measured",
    notes: [
      "served by TensorRT-LLM's PyTorch back end; that it has code for this model's architecture was not checked",
      ...(architecture.layerSpecs.some(({ mixer }) => mixer.kind === "attention" && mixer.scope.kind === "sliding")
        ? ["layers with a bounded window are counted with the cache of the whole context"]
        : []),
    ],
  };
}

/** The user's figure of repository models per GPU. */
function estimateDeclared(request: MemoryRequest, declaredGiB: number): MemoryEstimate {
  const { architecture, contextTokens, concurrency, gpuMemoryGiB, tensorParallel } = request;
  const utilization = request.utilization ?? DEFAULT_UTILIZATION;
  const budgetGiB = gpuMemoryGiB * utilization;
  const checkpoint = toGiB(weightBytes(architecture).checkpointBytes) / tensorParallel;
  const weights = Math.min(declaredGiB, checkpoint);
  const need: StageNeed = {
    stage: 0,
    layers: architecture.layers,
    parts: { weights, kvCache: 0, activation: declaredGiB - weights, nonTorch: 0, graphs: 0 },
    oneRequestGiB: 0,
    budgetGiB,
    kvPoolGiB: 0,
  };
  return {
    ...judge([need], uncertainty(request, "declared")),
    kvPoolGiB: 0,
    utilization,
    kvTokens: 0,
    requiredTokens: contextTokens * concurrency,
    requestCapacity: Number.POSITIVE_INFINITY,
    basis: `the repository's models take ${declaredGiB} GiB of each GPU, as repository.memoryGiB says`,
    notes: ["a repository of your own: what its models answer, and how many requests at once, is not planned"],
  };
}

function uncertainty({ engine: { version } }: MemoryRequest, figure: Traits["figure"]) {
  return uncertaintyOf<Traits>(errorTerms as Parameters<typeof uncertaintyOf<Traits>>[0], {
    traits: { figure },
    names: { version: `Triton ${version}` },
  });
}

/**
 * Tensor parallelism splits matrices and repeats vectors; multi-token prediction layers are not
 * loaded.
 */
function weightsPerGpu(architecture: ModelArchitecture, format: WeightFormat, tensorParallel: number): number {
  return tensorInventory(architecture)
    .filter(({ part }) => part !== "multi-token-prediction")
    .reduce((total, tensor) => total + tensorBytes(tensor, format) * shareOf(tensor, tensorParallel), 0);
}

function tensorBytes(tensor: ModelTensor, format: WeightFormat): number {
  const each = storedAs(tensor, format)?.loadedBytes ?? checkpointMatrixBytes(format, asMatrix(tensor));
  return each * tensor.count * tensor.loadedCopies;
}

/** Share of a tensor on one GPU. KV heads are whole, and repeated on more GPUs than heads. */
function shareOf({ split }: ModelTensor, tensorParallel: number): number {
  if (split.along === "none") {
    return 1;
  }
  return split.along === "rows" && split.units !== undefined
    ? Math.max(1 / split.units, 1 / tensorParallel)
    : 1 / tensorParallel;
}

/** One step of all running tokens: residual stream, widest feed-forward layer, float32 logits. */
function activationBytes(request: MemoryRequest): number {
  const { architecture, tensorParallel } = request;
  const width = Math.max(
    ...architecture.layerSpecs.map(({ feedForward }) => {
      if (feedForward.kind === "dense") {
        return feedForward.width;
      }
      return feedForward.kind === "experts" ? feedForward.width * feedForward.expertsPerToken : 0;
    }),
  );
  const perToken = LIVE_COPIES * architecture.hiddenSize + (2 * width) / tensorParallel;
  const steps = MAX_BATCHED_TOKENS * perToken * DTYPE_BYTES[architecture.checkpointDtype];
  return steps + batchSize(request) * architecture.vocabSize * DTYPE_BYTES.float32;
}

/**
 * Share of the memory left after loading for TensorRT-LLM's cache, to stay within the plan's limit.
 */
export function cacheFraction({
  memoryPerGpu: { weightsGiB, overheadGiB, limitGiB },
  gpuMemoryUtilization,
}: {
  readonly memoryPerGpu: { readonly weightsGiB: number; readonly overheadGiB: number; readonly limitGiB: number };
  readonly gpuMemoryUtilization: number;
}): number {
  const base = weightsGiB + overheadGiB;
  const fraction = (limitGiB - base) / (limitGiB / gpuMemoryUtilization - base);
  return Math.floor(fraction * 1000) / 1000;
}
