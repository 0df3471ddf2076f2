/** Text output of `npm run model`. */

import { engineOf } from "../../engines";
import type { MemoryRequest } from "../../engines/memory-request";
import { layerCaches } from "../../planner/memory/kv-cache";
import type { MemoryBudget, MemoryEstimate } from "../../planner/memory/types";
import { deciderText, verdictText } from "../../planner/memory/verdict-text";
import { adviceRows } from "./advice";
import { cardTable } from "./card-table";
import type { ModelReport } from "./report";

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
    ...(report.advice
      ? [...adviceRows(report.advice, report.request.engine.name).map(([label, text]) => row(label, text)), ""]
      : []),
    ...(report.advice?.comparison ? [cardTable(report.advice.comparison, report.request.engine.name), ""] : []),
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

function describeWeights({ request, weights, filesGB }: ModelReport): string[] {
  const loaded = gigabytes(weights.checkpointBytes);
  const files = gigabytes(filesGB * 1e9);
  const parts: readonly (readonly [string, number])[] = [
    ["embeddings and head", weights.embeddingBytes],
    ["attention and norms", weights.attentionBytes],
    ["feed-forward", weights.feedForwardBytes],
    ["experts", weights.expertBytes],
    ["vision", weights.visionBytes],
  ];
  return [
    row(
      "weights",
      `${files} in the repository${loaded === files ? "" : `, ${loaded} in the format they are loaded as`}`,
    ),
    ...describeFiles(request.architecture.checkpoint),
    ...parts
      .filter(([, bytes]) => bytes > 0)
      .map(([name, bytes]) => row("", `${gigabytes(bytes).padStart(11)}  ${name}`)),
  ];
}

/** Empty unless weight files were read. */
function describeFiles(checkpoint: MemoryRequest["architecture"]["checkpoint"]): string[] {
  if (checkpoint === undefined) {
    return [];
  }
  const types = Object.entries(checkpoint.bytesByType).map(([type, bytes]) => `${gigabytes(bytes)} ${type}`);
  const compared = checkpoint.inventory === undefined;
  if (checkpoint.from === "index") {
    const of = `the index of ${count(checkpoint.files)} file(s), which has no shapes`;
    return [row("", compared ? `compared with ${of}` : `exact in all by ${of}; its parts are estimates`)];
  }
  const exact = compared ? "compared with" : "exact, counted from";
  return [row("", `${exact} the headers of ${count(checkpoint.files)} file(s): ${types.join(", ")}`)];
}

function describeCache(report: ModelReport): string[] {
  const { request, kvBytesPerToken, kvBytesPerTokenBeyondWindow, stateElements } = report;
  const { cacheDoubt } = request.architecture;
  if (cacheDoubt !== undefined) {
    return [row("KV cache", `not known: ${cacheDoubt}`)];
  }
  const isDerived = request.architecture.checkpoint?.inventory !== undefined;
  if (kvBytesPerToken === 0 && stateElements.recurrent === 0) {
    return [row("KV cache", "none: the model keeps nothing between tokens")];
  }
  const state = stateElements.convolution + stateElements.recurrent;
  return [
    row(
      "KV cache",
      `${count(kvBytesPerToken)} bytes per token (${(kvBytesPerToken / 1024).toFixed(1)} KiB) over all layers`,
    ),
    ...(isDerived ? [row("", "derived from config.json and the shapes of keys and values in the files")] : []),
    ...(kvBytesPerTokenBeyondWindow < kvBytesPerToken
      ? [
          row("", `${count(kvBytesPerTokenBeyondWindow)} bytes per token once the windows are full`),
          ...describeWindows(request),
        ]
      : []),
    ...(state > 0 ? [row("", `${count(state)} state elements per sequence, whatever its length`)] : []),
  ];
}

/** Why windows save less than their size suggests. */
function describeWindows(request: MemoryRequest): string[] {
  const windows = layerCaches(request.architecture, request.kvCacheDtype, 1).flatMap(({ scope }) =>
    "windowTokens" in scope ? [scope.windowTokens] : [],
  );
  const [most = 0] = [...windows].sort((a, b) => b - a);
  const { label, windowMargin } = engineOf(request.engine.name);
  const margin = windowMargin?.(request);
  const kept = margin ? `; ${label} keeps ${margin.text} besides, ${count(margin.tokens)} tokens here` : "";
  return [
    row("", `${windows.length} layers look back at most ${count(most)} tokens${kept}:`),
    row("", `their windows save memory in contexts above ${count(most + (margin?.tokens ?? 0))} tokens only`),
  ];
}

function describeGpu(report: ModelReport): string[] {
  const { request, estimate, unknown, notes } = report;
  const { perGpu } = estimate;
  const gpus = request.tensorParallel * request.pipelineParallel;
  const cacheSize = unknown === undefined ? size(perGpu.kvCacheGiB) : "not known";
  return [
    setting(request, estimate, gpus),
    row(request.device === "cpu" ? "host memory" : "tightest GPU", bar(perGpu, estimate.verdict.intervalGiB.above)),
    row("", `${size(perGpu.weightsGiB).padStart(11)}  weights  #`),
    row("", `${size(perGpu.overheadGiB).padStart(11)}  activations, communication, CUDA graphs  +`),
    row(
      "",
      `${cacheSize.padStart(11)}  KV cache for ${request.concurrency} × ${count(request.contextTokens)} tokens  =`,
    ),
    row(
      "",
      `${size(estimate.verdict.intervalGiB.above).padStart(11)}  more, or ${size(estimate.verdict.intervalGiB.below)} less: what the estimate can be off  .`,
    ),
    ...verdictRows(report),
    ...poolRows(report),
    row("constants", estimate.basis),
    ...notes.map((note) => row("note", note)),
  ];
}

/** An engine's start-up log; engines without a pool log none. */
function poolRows({ request, estimate, refusals }: ModelReport): string[] {
  if (estimate.kvTokens === 0 || refusals.length > 0) {
    return [];
  }
  const requests = `${estimate.requestCapacity.toFixed(2)} requests of ${count(request.contextTokens)} tokens at once`;
  const pool = size(estimate.kvPoolGiB);
  return [
    engineOf(request.engine.name).preallocatesGpuMemory
      ? row("engine reports", `${pool} for the KV cache, ${count(estimate.kvTokens)} tokens; ${requests}`)
      : row("room for", `${pool} of KV cache, ${requests}`),
  ];
}

function verdictRows({ estimate, refusals, verdict, unknown, unread }: ModelReport): string[] {
  if (refusals.length > 0) {
    return [row("verdict", `does not start: ${refusals.join("; ")}`)];
  }
  const { totalGiB, limitGiB } = estimate.perGpu;
  if (unknown !== undefined && estimate.verdict.answer !== "no") {
    return [row("verdict", `not known: ${unknown}; ${size(limitGiB - totalGiB)} of the tightest GPU are left for it`)];
  }
  const margin = row("", verdictText(estimate.verdict));
  if (unread !== undefined && verdict.decides === "engine") {
    return [row("verdict", `may start or not: ${unread}`), margin];
  }
  const answers = { fits: "fits", edge: "at the edge", no: "does not fit" };
  return [
    row(
      "verdict",
      `${answers[verdict.answer]}: ${size(verdict.compared.needGiB)} of ${size(verdict.compared.limitGiB)}${verdict.answer === "fits" ? "" : `; ${deciderText(verdict.decides)}`}`,
    ),
    margin,
  ];
}

function setting(
  { engine, device, gpuModel, gpuMemoryGiB, ...request }: MemoryRequest,
  estimate: MemoryEstimate,
  gpus: number,
): string {
  const { label: name, parallelism, preallocatesGpuMemory } = engineOf(engine.name);
  if (device === "cpu") {
    return `${name} ${engine.version} on CPUs with ${size(gpuMemoryGiB)}`;
  }
  const where = `${gpuModel === undefined ? `${gpus} GPU(s)` : `${gpus} × ${gpuModel}`} of ${size(gpuMemoryGiB)}`;
  const layout = parallelism.tensor ? ` (TP ${request.tensorParallel} × PP ${request.pipelineParallel})` : "";
  const share = preallocatesGpuMemory ? `, utilization ${estimate.utilization}` : "";
  return `${name} ${engine.version} on ${where}${layout}${share}`;
}

const BAR_WIDTH = 60;

/** Fixed width, with the error; overflow is cut. */
function bar(budget: MemoryBudget, aboveGiB: number): string {
  const parts: readonly (readonly [string, number])[] = [
    ["#", budget.weightsGiB],
    ["+", budget.overheadGiB],
    ["=", budget.kvCacheGiB],
    [".", aboveGiB],
  ];
  const drawn = parts
    .map(([mark, gib]) => mark.repeat(Math.min(BAR_WIDTH, Math.round((BAR_WIDTH * gib) / budget.limitGiB))))
    .join("")
    .slice(0, BAR_WIDTH);
  return `[${drawn.padEnd(BAR_WIDTH)}]`;
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
