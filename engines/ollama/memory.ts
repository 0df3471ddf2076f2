/**
 * Memory of a model under Ollama (llama.cpp): a GGUF file, layers over GPUs of one node or in host
 * memory, a cache per parallel request, compute buffers.
 */

import { toGiB } from "../../names/units";
import { type LayerCache, layerCaches } from "../../planner/memory/kv-cache";
import { isOnStage, type PipelineStage, pipelineStages } from "../../planner/memory/pipeline";
import type { MemoryEstimate } from "../../planner/memory/types";
import { uncertaintyOf } from "../../planner/memory/uncertainty";
import { judge, type StageNeed } from "../../planner/memory/verdict";
import type { ModelArchitecture } from "../../planner/model/architecture";
import { UnknownFormatError } from "../../planner/model/format-names";
import { ggufFileTypes, ggufFormat } from "../../planner/model/gguf";
import { Kept } from "../../planner/model/kept";
import { asMatrix } from "../../planner/model/parameters";
import { checkpointMatrixBytes, type WeightFormat } from "../../planner/model/quantization";
import { tensorInventory } from "../../planner/model/tensors";
import type { MemoryRequest } from "../memory-request";
import errorTerms from "./error-terms.json";

/** Buffer settings of llama.cpp in Ollama 0.32. */
const CONSTANTS = {
  version: "0.32.15",
  /** Tokens per compute step (llama.cpp n_ubatch). */
  batchTokens: 512,
  /**
   * CUDA context and library handles per GPU, GiB; nvidia-smi shows 0.3 to 0.5 for an idle runner.
   */
  contextGiB: 0.5,
  /** Host memory of runner process and graph, GiB. */
  hostGiB: 0.5,
} as const;

/** The usual file type of the Ollama library. */
const DEFAULT_FILE_TYPE = "Q4_K_M";

/** llama.cpp caches in f16, or q8_0 (8.5 bits per value) for 8 bits; relative to 2 bytes. */
const CACHE_SCALE = { auto: 1, bfloat16: 1, fp8: 8.5 / 16 } as const;

/**
 * Estimate of an Ollama runner. `pipelineParallel` is the number of GPUs; there is no tensor
 * parallelism.
 */
export function estimateOllama(request: MemoryRequest): MemoryEstimate {
  const { architecture } = request;
  const format = ollamaFormat(architecture, request.quantization);
  const onCpu = request.device === "cpu";
  const gpus = onCpu ? 1 : Math.max(1, request.tensorParallel * request.pipelineParallel);
  const caches = layerCaches(architecture, "bfloat16", 1);
  const budgetGiB = request.gpuMemoryGiB * (request.utilization ?? 1);
  const stages = pipelineStages(architecture.layers, gpus).map((stage): StageNeed => {
    const weights = toGiB(stageBytes(architecture, format, stage, onCpu));
    const layers = caches.slice(stage.firstLayer, stage.endLayer);
    const oneRequestGiB = toGiB(cacheBytes(layers, request.contextTokens, request));
    const activation = toGiB(computeBufferBytes(architecture, stage));
    const nonTorch = onCpu ? CONSTANTS.hostGiB : CONSTANTS.contextGiB;
    return {
      stage: stage.index,
      layers: layers.length,
      parts: { weights, kvCache: oneRequestGiB * request.concurrency, activation, nonTorch, graphs: 0 },
      oneRequestGiB,
      budgetGiB,
      kvPoolGiB: Math.max(0, budgetGiB - weights - activation - nonTorch),
    };
  });
  return summarize(request, format, stages, onCpu);
}

function summarize(
  request: MemoryRequest,
  format: WeightFormat,
  stages: readonly StageNeed[],
  onCpu: boolean,
): MemoryEstimate {
  const evidence = { traits: {}, names: { version: `Ollama ${request.engine.version}` } };
  const capacityOf = ({ kvPoolGiB, oneRequestGiB }: StageNeed) => kvPoolGiB / oneRequestGiB;
  const caching = stages
    .filter(({ oneRequestGiB }) => oneRequestGiB > 0)
    .toSorted((one, other) => capacityOf(one) - capacityOf(other));
  const [limiting] = caching;
  return {
    ...judge(stages, uncertaintyOf(errorTerms, evidence), request.device),
    kvPoolGiB: limiting?.kvPoolGiB ?? Math.min(...stages.map(({ kvPoolGiB }) => kvPoolGiB)),
    utilization: request.utilization ?? 1,
    // The runner reserves exactly the requested amount.
    kvTokens: caching.length > 0 ? request.contextTokens * request.concurrency : 0,
    requiredTokens: request.contextTokens * request.concurrency,
    requestCapacity: limiting ? capacityOf(limiting) : Number.POSITIVE_INFINITY,
    basis: `computed from llama.cpp's file types and buffers; constants of Ollama ${CONSTANTS.version}`,
    notes: [
      `weights as GGUF ${format.name}`,
      ...(onCpu ? ["host memory, no GPU"] : []),
      ...(stages.length > 1 ? [`layers spread over ${stages.length} GPUs; they work one after the other`] : []),
    ],
  };
}

/** MXFP4 checkpoints are served unchanged; others in the library's usual file type. */
export function usualFileType(architecture: ModelArchitecture): string {
  return architecture.quantization.name === "mxfp4" ? "MXFP4" : DEFAULT_FILE_TYPE;
}

/** One object per answer, because results are cached by format object. */
const formats = new Kept<ModelArchitecture, string, WeightFormat>();

function ollamaFormat(architecture: ModelArchitecture, quantization: string | undefined): WeightFormat {
  const name = quantization ?? usualFileType(architecture);
  return formats.get(architecture, name, () => {
    const format = ggufFormat(architecture, name);
    if (format === undefined) {
      throw new UnknownFormatError(name, ggufFileTypes);
    }
    return format;
  });
}

/** By format object, which belongs to one architecture. */
const weights = new Kept<WeightFormat, string, number>();

/**
 * Weights of one GPU. The embedding table stays in host memory unless it is also the output matrix.
 */
function stageBytes(
  architecture: ModelArchitecture,
  format: WeightFormat,
  stage: PipelineStage,
  onCpu: boolean,
): number {
  const embedding = onCpu || (stage.isLast && architecture.tieEmbeddings);
  return weights.get(format, JSON.stringify([stage, embedding]), () =>
    tensorInventory(architecture)
      .filter((tensor) => tensor.part !== "multi-token-prediction" && isOnStage(tensor, stage, embedding))
      .reduce((total, tensor) => total + tensor.count * checkpointMatrixBytes(format, asMatrix(tensor)), 0),
  );
}

/** Additional tokens of a bounded window. */
export const inFlightTokens = CONSTANTS.batchTokens;

/** Cache of one request: bounded windows keep the window and one batch. */
function cacheBytes(layers: readonly LayerCache[], contextTokens: number, request: MemoryRequest): number {
  return layers.reduce((total, layer) => {
    const kept =
      layer.scope.kind === "full"
        ? contextTokens
        : Math.min(contextTokens, layer.scope.windowTokens + CONSTANTS.batchTokens);
    return total + layer.bytesPerToken * CACHE_SCALE[request.kvCacheDtype] * kept + layer.stateBytes;
  }, 0);
}

/**
 * Scratch memory of a step in float32: logits on the last GPU, widest feed-forward tensors on all.
 */
function computeBufferBytes(architecture: ModelArchitecture, stage: PipelineStage): number {
  const width = Math.max(
    ...architecture.layerSpecs.map(({ feedForward }) => {
      if (feedForward.kind === "dense") {
        return 2 * feedForward.width;
      }
      return feedForward.kind === "experts" ? 2 * feedForward.width * feedForward.expertsPerToken : 0;
    }),
  );
  const logits = stage.isLast && architecture.kind === "decoder" ? architecture.vocabSize : 0;
  return CONSTANTS.batchTokens * 4 * (Math.max(logits, width) + 4 * architecture.hiddenSize);
}
