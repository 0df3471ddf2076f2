/** Memory of a model under vLLM, per GPU and pipeline stage. */

import { BYTES_PER_GIB, toGiB } from "../../../names/units";
import { type LayerCache, layerCaches } from "../../../planner/memory/kv-cache";
import { type PipelineStage, pipelineStages } from "../../../planner/memory/pipeline";
import type { MemoryEstimate } from "../../../planner/memory/types";
import { type MemoryParts, uncertaintyOf } from "../../../planner/memory/uncertainty";
import { judge, type StageNeed } from "../../../planner/memory/verdict";
import type { ModelArchitecture } from "../../../planner/model/architecture";
import { formatFor } from "../../../planner/model/format-names";
import type { WeightFormat } from "../../../planner/model/quantization";
import type { AdapterRoom } from "../../adapters";
import { loraRoom } from "../adapters";
import { activationBytes, type ProfilingRun, penaltyBytes, warmUpBytes } from "./activation";
import { tableBytes } from "./block-tables";
import { graphsInPool } from "./cuda-graphs";
import { type Device, deviceOf } from "./device";
import { errorTable } from "./error-terms";
import { evidenceFor } from "./evidence";
import { fp8ExpertMultiple, mxfp4Kernel } from "./expert-kernels";
import { type KvLayout, kvLayout, pooledTokens, requestBytes, requestCapacity } from "./kv-groups";
import { GRAPHS_WITH_ADAPTERS, loraBytes } from "./lora";
import { type ModelRunner, modelRunner, samplerOf } from "./model-runner";
import { nvfp4ExpertMultiple } from "./nvfp4-experts";
import type { VllmRequest } from "./request";
import { rowPadding } from "./rocm-padding";
import { type SchedulerLimits, schedulerLimits } from "./scheduler-defaults";
import { asServed, servedNotes } from "./served-model";
import { startChecks } from "./start-checks";
import { type VllmConstants, vllmConstants } from "./versions";
import { stageWeightBytes } from "./weights";

/** Release from which kv-packed-groups.ts and compressed cache pages were read. */
const COMPRESSED_CACHE_SOURCE = "0.33.0";

interface Setting {
  readonly request: VllmRequest;
  readonly constants: VllmConstants;
  readonly runner: ModelRunner;
  readonly limits: SchedulerLimits;
  readonly caches: readonly LayerCache[];
  readonly device: Device;
  readonly inFlightTokens: number;
  /** @default no adapters */
  readonly room: AdapterRoom | undefined;
}

interface StageResult {
  readonly need: StageNeed;
  readonly layout: KvLayout | undefined;
  readonly poolBytes: number;
  /** Adapter memory within the weights. */
  readonly adapterBytes: number;
}

export function estimateVllm(asked: VllmRequest): MemoryEstimate {
  const request = asServed(asked);
  const { architecture, tensorParallel } = request;
  const { constants, basis } = vllmConstants(request.engine.version);
  const limits = schedulerLimits(request, constants);
  const setting: Setting = {
    request,
    constants,
    runner: modelRunner(asked, constants.secondRunner),
    limits,
    caches: layerCaches(architecture, request.kvCacheDtype, tensorParallel).map((cache) => cachedAs(cache, constants)),
    device: deviceOf(request, constants),
    inFlightTokens: inFlightTokens(request),
    room: loraRoom(request),
  };
  const stages = pipelineStages(architecture.layers, request.pipelineParallel).map((stage) =>
    stageResult(setting, stage),
  );
  const estimate = summarize(setting, stages, basis);
  return { ...estimate, notes: [...estimate.notes, ...servedNotes(asked)] };
}

/** Releases without groups for chunked attention cache such layers whole. */
function cachedAs(cache: LayerCache, { cachesChunksWhole }: VllmConstants): LayerCache {
  return cachesChunksWhole && cache.scope.kind === "chunked" ? { ...cache, scope: { kind: "full" } } : cache;
}

/**
 * Scheduled but unsettled tokens (max-num-batched-tokens of each batch in flight): windowed layers
 * keep them besides any window.
 */
function inFlightTokens(request: VllmRequest): number {
  const { constants } = vllmConstants(request.engine.version);
  const batches = constants.windowsKeepAllBatches ? request.pipelineParallel + 1 : 1;
  return schedulerLimits(request, constants).maxNumBatchedTokens * batches;
}

/** Additional tokens of a windowed layer, and for what. */
export function windowMargin(request: VllmRequest): { readonly tokens: number; readonly text: string } {
  return { tokens: inFlightTokens(request), text: "the batches in flight (max-num-batched-tokens)" };
}

function stageResult(setting: Setting, stage: PipelineStage): StageResult {
  const { request, constants, runner, limits, caches, device, room } = setting;
  const { card, utilization } = device;
  const { architecture, tensorParallel, pipelineParallel } = request;
  const format = formatFor(architecture, request.quantization);
  const ownWeights = stageWeightBytes(architecture, {
    tensorParallel,
    expertParallel: request.vllm?.expertParallel ?? false,
    stage,
    format,
    expertKernel: mxfp4Kernel(card.expertKernel, format),
    mxfp4: constants.mxfp4,
    fp8ExpertMultiple: fp8ExpertMultiple(
      card.fp8ExpertsOnFlashInfer,
      hasGatedExperts(architecture),
      constants.plainExpertMultiple,
    ),
    nvfp4ExpertMultiple: nvfp4ExpertMultiple(
      card,
      { gated: hasGatedExperts(architecture), hidden: architecture.hiddenSize },
      constants,
    ),
    rowPadding: rowPadding(constants, card),
    latentWorkspaceMiB: constants.latentWorkspaceMiB,
    maxNumBatchedTokens: limits.maxNumBatchedTokens,
  });
  const adapters =
    room === undefined
      ? 0
      : loraBytes({ architecture, stage, room, tensorParallel, expertParallel: request.vllm?.expertParallel ?? false });
  const weights = ownWeights + adapters;
  const modularExperts = !format.rules.some((rule) => rule.scheme.name === "mxfp4");
  const run: ProfilingRun = {
    architecture,
    stage,
    tensorParallel,
    pipelineParallel,
    limits,
    expertParallel: request.vllm?.expertParallel ?? false,
    constants,
    runner,
    sampler: samplerOf(constants, runner, request.installedFrom ?? "image", card.vendor),
    warmUpSampler: card.vendor === "amd" ? "triton" : "flashinfer",
    modularExperts,
    deepGemmExperts: isFp8(format) && (card.generation === 0 || card.generation >= 9),
  };
  const graphs = device.graphBytes(run, stage) * (room === undefined ? 1 : GRAPHS_WITH_ADAPTERS);
  const counted = graphsInPool(constants, runner, card) ? graphs : 0;
  const layers = architecture.layerSpecs.slice(stage.firstLayer, stage.endLayer);
  const layout = kvLayout(caches.slice(stage.firstLayer, stage.endLayer), constants, device.blockTokens);
  const tables =
    layout === undefined || constants.tablesInPool || request.device === "cpu"
      ? 0
      : tableBytes({ layout, layers, limits, runner, contextTokens: request.contextTokens });
  const beyond = graphs - counted + (constants.penaltiesInPool ? 0 : penaltyBytes(run));
  const uncounted = device.shared ? 0 : beyond;
  const overhead = {
    activation: activationBytes(run),
    nonTorch: device.nonTorchBytes(run),
    graphs: counted + (beyond - uncounted) + (device.shared ? tables : 0),
  };
  const budget = request.gpuMemoryGiB * BYTES_PER_GIB * utilization;
  const left = budget - weights - overhead.activation - overhead.nonTorch - overhead.graphs;
  const cacheGiB = (requests: number): number =>
    layout === undefined
      ? 0
      : toGiB(
          requestBytes(layout, requests, request.contextTokens, setting.inFlightTokens) +
            device.sparePages * layout.pageBytes,
        );
  const parts: MemoryParts = {
    weights: toGiB(weights),
    kvCache: cacheGiB(request.concurrency),
    activation: toGiB(overhead.activation),
    nonTorch: toGiB(overhead.nonTorch),
    graphs: toGiB(overhead.graphs),
  };
  const poolBytes = device.shared ? Math.min(left, parts.kvCache * BYTES_PER_GIB) : left;
  const budgetGiB = toGiB(budget);
  const later = {
    uncountedGiB: toGiB(uncounted),
    tablesGiB: toGiB(tables),
    samplingGiB: toGiB(warmUpBytes(run)),
  };
  return {
    layout,
    poolBytes,
    adapterBytes: adapters,
    need: {
      stage: stage.index,
      layers: layers.length,
      parts,
      oneRequestGiB: cacheGiB(1),
      budgetGiB,
      checks: startChecks({
        request,
        linked: card.linked,
        constants,
        limits,
        parts,
        budgetGiB,
        ...later,
        layout,
        ...(device.shared && { toldCacheGiB: toGiB(poolBytes) }),
      }),
      kvPoolGiB: Math.max(0, toGiB(poolBytes)),
    },
  };
}

function isFp8({ rules }: WeightFormat): boolean {
  return rules.some(({ scheme }) => scheme.name.startsWith("fp8"));
}

function hasGatedExperts({ layerSpecs }: ModelArchitecture): boolean {
  return layerSpecs.some(({ feedForward }) => feedForward.kind === "experts" && feedForward.gated);
}

function summarize(setting: Setting, stages: readonly StageResult[], basis: string): MemoryEstimate {
  const { request, device } = setting;
  const capacities = stages.flatMap((stage) => stageCapacity(stage, setting));
  const limiting = capacities.reduce<StageCapacity | undefined>(
    (least, next) => (least === undefined || next.requests < least.requests ? next : least),
    undefined,
  );
  const needs = stages.map(({ need }) => need);
  return {
    ...judge(needs, uncertaintyOf(errorTable, evidenceFor(request)), request.device),
    kvPoolGiB: limiting?.poolGiB ?? Math.min(...needs.map(({ kvPoolGiB }) => kvPoolGiB)),
    utilization: device.toldUtilization,
    kvTokens: limiting?.tokens ?? 0,
    requiredTokens: request.contextTokens * request.concurrency,
    requestCapacity: limiting?.requests ?? Number.POSITIVE_INFINITY,
    basis,
    ...(setting.room && { adaptersGiB: toGiB(Math.max(...stages.map(({ adapterBytes }) => adapterBytes))) }),
    notes: notesFor(setting),
  };
}

interface StageCapacity {
  readonly requests: number;
  readonly tokens: number;
  readonly poolGiB: number;
}

function stageCapacity(
  { layout, poolBytes, need }: StageResult,
  { request, constants, inFlightTokens }: Setting,
): readonly StageCapacity[] {
  if (layout === undefined) {
    return [];
  }
  const requests = requestCapacity(layout, poolBytes, request.contextTokens, inFlightTokens);
  const tokens = constants.reportsRequestCapacity
    ? Math.floor(requests * request.contextTokens)
    : pooledTokens(layout, poolBytes);
  return [{ requests, tokens, poolGiB: need.kvPoolGiB }];
}

function notesFor({ request, device: { card } }: Setting): readonly string[] {
  const { architecture } = request;
  const notes: string[] = [...(architecture.checkpoint?.notes ?? [])];
  if (!card.known) {
    const name = request.gpuModel;
    const unknown = name === undefined ? "no card is named" : `the catalogue has no card ${JSON.stringify(name)}`;
    const like = card.linked ? "H100, with NVLink" : "L40S, without NVLink";
    notes.push(`${unknown}: it is taken for one like the ${like}, as its memory suggests`);
  }
  const mixers = architecture.layerSpecs.map((layer) => layer.mixer);
  if (mixers.some(({ kind }) => kind === "latent" || kind === "compressed") && request.tensorParallel > 1) {
    notes.push(
      `latent attention: every one of the ${request.tensorParallel} tensor-parallel GPUs holds the whole KV cache`,
    );
  }
  if (mixers.some(({ kind }) => kind === "compressed")) {
    notes.push(
      `compressed attention: its cache is counted as vLLM ${COMPRESSED_CACHE_SOURCE} packs it, in fp8 whatever the KV dtype; earlier versions and other cards than NVIDIA's pack it otherwise, and no start-up has been measured`,
    );
  }
  const repeated = mixers.find((mixer) => mixer.kind === "attention" && mixer.kvHeads < request.tensorParallel);
  if (repeated?.kind === "attention") {
    notes.push(
      `${repeated.kvHeads} KV heads on ${request.tensorParallel} GPUs: the KV cache per GPU stops shrinking at ${repeated.kvHeads}`,
    );
  }
  if (architecture.kind === "encoder") {
    notes.push("encoder: no KV cache, the batch alone limits concurrency");
  }
  return notes;
}
