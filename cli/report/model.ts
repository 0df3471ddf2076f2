/** What `npm run model` prints: figures as JSON and as an explanation for people. */

import { parallelismProblems } from "../../planner/memory/divisibility";
import {
  kvCacheBytesPerToken,
  kvCacheBytesPerTokenBeyondWindow,
  stateElementsPerSequence,
} from "../../planner/memory/kv-cache";
import type { MemoryBudget, MemoryEstimate, MemoryRequest } from "../../planner/memory/types";
import { formatFor } from "../../planner/model/format-names";
import { countParameters, type ParameterCounts, type WeightSizes, weightBytes } from "../../planner/model/parameters";

export interface ModelReport {
  readonly request: MemoryRequest;
  readonly estimate: MemoryEstimate;
  readonly parameters: ParameterCounts;
  readonly weights: WeightSizes;
  readonly formatName: string;
  readonly kvBytesPerToken: number;
  readonly kvBytesPerTokenBeyondWindow: number;
  readonly stateElements: { readonly convolution: number; readonly recurrent: number };
  /** Why the engine would refuse this layout. */
  readonly layoutProblems: readonly string[];
}

export function modelReport(request: MemoryRequest, estimate: MemoryEstimate): ModelReport {
  const { architecture, kvCacheDtype, quantization } = request;
  return {
    request,
    estimate,
    parameters: countParameters(architecture),
    weights: weightBytes(architecture, quantization),
    formatName: formatFor(architecture, quantization).name,
    kvBytesPerToken: kvCacheBytesPerToken(architecture, kvCacheDtype),
    kvBytesPerTokenBeyondWindow: kvCacheBytesPerTokenBeyondWindow(architecture, kvCacheDtype),
    stateElements: stateElementsPerSequence(architecture),
    layoutProblems: parallelismProblems(architecture, request.tensorParallel, request.pipelineParallel, quantization),
  };
}

/** Machine-readable form. perGpu.kvCacheGiB and kvTokens are the pool the engine would report, needed* the load asked for. */
export function reportJson(report: ModelReport) {
  const { request, estimate, parameters, weights } = report;
  const { architecture } = request;
  return {
    model: architecture.name,
    family: architecture.family,
    kind: architecture.kind,
    layers: architecture.layers,
    maxContextTokens: architecture.maxContextTokens,
    weightFormat: report.formatName,
    totalParametersB: parameters.total / 1e9,
    totalParametersWithMtpB: parameters.totalWithMtp / 1e9,
    activeParametersB: parameters.active / 1e9,
    textParametersB: parameters.text / 1e9,
    visionParametersB: parameters.vision / 1e9,
    weightsGB: weights.checkpointBytes / 1e9,
    kvCacheBytesPerToken: report.kvBytesPerToken,
    kvCacheBytesPerTokenBeyondWindow: report.kvBytesPerTokenBeyondWindow,
    stateElementsPerSequence: { ssm: report.stateElements.recurrent, conv: report.stateElements.convolution },
    vllmVersion: request.engine.version,
    tensorParallel: request.tensorParallel,
    pipelineParallel: request.pipelineParallel,
    gpuMemoryUtilization: estimate.utilization,
    perGpu: {
      weightsGiB: estimate.perGpu.weightsGiB,
      overheadGiB: estimate.perGpu.overheadGiB,
      kvCacheGiB: estimate.kvPoolGiB,
      limitGiB: estimate.perGpu.limitGiB,
      neededKvCacheGiB: estimate.perGpu.kvCacheGiB,
      reserveGiB: estimate.perGpu.reserveGiB,
      neededTotalGiB: estimate.perGpu.totalGiB,
    },
    stages: estimate.stages,
    kvTokens: estimate.kvTokens,
    requiredTokens: estimate.requiredTokens,
    requestCapacity: Number.isFinite(estimate.requestCapacity) ? estimate.requestCapacity : null,
    fits: estimate.fits && report.layoutProblems.length === 0,
    shortfallGiB: estimate.shortfallGiB,
    layoutProblems: report.layoutProblems,
    basis: estimate.basis,
    notes: estimate.notes,
  };
}

/** The explanation for people. */
export function explainModel(report: ModelReport): string {
  return [
    ...describeModel(report),
    "",
    ...describeWeights(report),
    "",
    ...describeCache(report),
    "",
    ...describeGpu(report),
    "",
  ].join("\n");
}

function describeModel({ request, parameters, formatName }: ModelReport): string[] {
  const { architecture } = request;
  const extra = parameters.totalWithMtp - parameters.total;
  return [
    `${architecture.name ?? "model"}: ${architecture.family} ${architecture.kind}, ${architecture.layers} layers, context ${count(architecture.maxContextTokens)} tokens`,
    row("parameters", `${billions(parameters.total)} in all`),
    ...(parameters.active < parameters.text
      ? [row("", `${billions(parameters.active)} used per token (${describeExperts(architecture.experts)})`)]
      : []),
    ...(parameters.vision > 0 ? [row("", `${billions(parameters.vision)} of them vision`)] : []),
    ...(extra > 0 ? [row("", `${billions(extra)} more for multi-token prediction, in the files but not loaded`)] : []),
    row("weight format", formatName),
  ];
}

function describeExperts(experts: MemoryRequest["architecture"]["experts"]): string {
  return experts === undefined ? "" : `${experts.expertsPerToken} of ${experts.experts} experts; all must be resident`;
}

function describeWeights({ weights }: ModelReport): string[] {
  const parts: readonly (readonly [string, number])[] = [
    ["embeddings and head", weights.embeddingBytes],
    ["attention and norms", weights.attentionBytes],
    ["feed-forward", weights.feedForwardBytes],
    ["experts", weights.expertBytes],
    ["vision", weights.visionBytes],
  ];
  return [
    row("weights", `${gigabytes(weights.checkpointBytes)} in the repository`),
    ...parts
      .filter(([, bytes]) => bytes > 0)
      .map(([name, bytes]) => row("", `${gigabytes(bytes).padStart(11)}  ${name}`)),
  ];
}

function describeCache(report: ModelReport): string[] {
  const { kvBytesPerToken, kvBytesPerTokenBeyondWindow, stateElements } = report;
  if (kvBytesPerToken === 0 && stateElements.recurrent === 0)
    return [row("KV cache", "none: the model keeps nothing between tokens")];
  const state = stateElements.convolution + stateElements.recurrent;
  return [
    row(
      "KV cache",
      `${count(kvBytesPerToken)} bytes per token (${(kvBytesPerToken / 1024).toFixed(1)} KiB) over all layers`,
    ),
    ...(kvBytesPerTokenBeyondWindow < kvBytesPerToken
      ? [row("", `${count(kvBytesPerTokenBeyondWindow)} bytes per token once the windows are full`)]
      : []),
    ...(state > 0 ? [row("", `${count(state)} state elements per sequence, whatever its length`)] : []),
  ];
}

function describeGpu({ request, estimate, layoutProblems }: ModelReport): string[] {
  const { perGpu } = estimate;
  const gpus = request.tensorParallel * request.pipelineParallel;
  const verdict =
    layoutProblems.length > 0
      ? `does not start: ${layoutProblems.join("; ")}`
      : estimate.fits
        ? `fits: ${size(perGpu.totalGiB)} of ${size(perGpu.limitGiB)}`
        : `does not fit: ${size(perGpu.totalGiB)} of ${size(perGpu.limitGiB)}, ${size(estimate.shortfallGiB)} missing`;
  return [
    `vLLM ${request.engine.version} on ${gpus} GPU(s) of ${size(request.gpuMemoryGiB)} (TP ${request.tensorParallel} × PP ${request.pipelineParallel}), utilization ${estimate.utilization}`,
    row("tightest GPU", bar(perGpu)),
    row("", `${size(perGpu.weightsGiB).padStart(11)}  weights  #`),
    row("", `${size(perGpu.overheadGiB).padStart(11)}  activations, communication, CUDA graphs  +`),
    row(
      "",
      `${size(perGpu.kvCacheGiB).padStart(11)}  KV cache for ${request.concurrency} × ${count(request.contextTokens)} tokens  =`,
    ),
    row("", `${size(perGpu.reserveGiB).padStart(11)}  kept free for the estimate's own error  .`),
    row("verdict", verdict),
    ...(estimate.kvTokens > 0
      ? [
          row(
            "engine reports",
            `${size(estimate.kvPoolGiB)} for the KV cache, ${count(estimate.kvTokens)} tokens; ${estimate.requestCapacity.toFixed(2)} requests of ${count(request.contextTokens)} tokens at once`,
          ),
        ]
      : []),
    row("basis", estimate.basis),
    ...estimate.notes.map((note) => row("note", note)),
  ];
}

const barWidth = 60;

/** The budget as a bar of fixed width; what does not fit is cut off. */
function bar(budget: MemoryBudget): string {
  const parts: readonly (readonly [string, number])[] = [
    ["#", budget.weightsGiB],
    ["+", budget.overheadGiB],
    ["=", budget.kvCacheGiB],
    [".", budget.reserveGiB],
  ];
  const drawn = parts
    .map(([mark, gib]) => mark.repeat(Math.min(barWidth, Math.round((barWidth * gib) / budget.limitGiB))))
    .join("")
    .slice(0, barWidth);
  return `[${drawn.padEnd(barWidth)}]`;
}

function row(label: string, text: string): string {
  return `  ${label.padEnd(16)}${text}`;
}

function billions(parameters: number): string {
  return `${(parameters / 1e9).toFixed(3)} billion`;
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(2)} GB`;
}

function size(gib: number): string {
  return `${gib.toFixed(2)} GiB`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
