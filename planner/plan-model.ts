import { engineOf } from "../engines";
import { decimal } from "../names/decimal";
import { planAdapters } from "./adapters";
import type { Candidate } from "./candidates/types";
import { compareWithTable } from "./capacity-check";
import { nodeLinkOf } from "./fabric";
import { planSpeed } from "./level/speed-plan";
import { keepsStates } from "./model/architecture";
import { assumptionNotes } from "./model/assumed";
import { countParameters } from "./model/parameters";
import type { ModelCost } from "./model-cost";
import { modelPrice } from "./model-price";
import type { ModelRequest, PlanRequest } from "./request";
import { servedFormat } from "./served-format";
import { allOf } from "./sidecars";
import { compareWithRule } from "./sizing";
import { startupOf } from "./start-of";
import { startupBudgetSeconds } from "./startup";
import { modelFilesGB, modelStorageGiB } from "./storage";
import type { ModelPlan, PoolPlan } from "./types";
import { loadAs, weightFormatNotes } from "./weight-format";

export interface ModelSurroundings extends Pick<PlanRequest, "storage" | "drainSeconds" | "pools" | "apiPrices"> {
  /** As in `PlanOptions`. */
  readonly simulates: boolean;
}

/**
 * Everything decided for a placed model.
 *
 * @param cost its part of the pool's.
 */
export function planModel(
  model: ModelRequest,
  candidate: Candidate,
  pool: PoolPlan,
  cost: ModelCost,
  environment: ModelSurroundings,
): ModelPlan {
  const { layout, estimate, resources } = candidate;
  const { shape } = pool;
  const weightsGB = modelFilesGB(model);
  const toldOfWeights = loadAs(model);
  const adapters = planAdapters(model, estimate);
  const { speed: answer, sizing, why } = candidate;
  const speed = planSpeed(model, {
    answer,
    simulates: environment.simulates,
    ...(sizing && { sizing }),
    ...(why !== undefined && { why }),
  });
  const planned = startupBudgetSeconds(startupOf(model, candidate, pool, environment));
  return {
    name: model.name,
    servedName: model.servedName,
    ...(model.aliases && { aliases: model.aliases }),
    engine: model.engine,
    engineVersion: model.engineVersion,
    ...(model.image && { image: model.image }),
    task: model.task,
    ...(model.domain !== undefined && { domain: model.domain }),
    ...(model.revisionOf && { revisionOf: model.revisionOf }),
    source: model.source,
    ...(model.storeFolder !== undefined && { storeFolder: model.storeFolder }),
    loading: model.loading,
    pool: pool.name,
    shape: shape.name,
    ...(shape.gpu && { gpuVendor: shape.gpu.vendor, gpuModel: shape.gpu.model }),
    ...(shape.gpu?.support?.hsaOverride !== undefined && { hsaOverride: shape.gpu.support.hsaOverride }),
    ...(shape.gpu?.slice && { gpuSlice: shape.gpu.slice }),
    cpuArch: shape.cpu.arch,
    gpusPerNode: layout.gpusPerNode,
    tensorParallel: layout.tensorParallel,
    pipelineParallel: layout.pipelineParallel,
    nodesPerReplica: layout.nodesPerReplica,
    ...(layout.nodesPerReplica > 1 && { nodeLink: nodeLinkOf(pool) }),
    minReplicas: model.minReplicas,
    maxReplicas: model.maxReplicas,
    ...(model.serviceLevel && { serviceLevel: model.serviceLevel }),
    ...(candidate.availability && { availability: candidate.availability }),
    ...(model.traffic && { traffic: model.traffic }),
    ...(model.node && { node: model.node }),
    ...(model.pod && { pod: model.pod }),
    ...(model.prefixCaches && { prefixCaches: model.prefixCaches }),
    ...(model.namedImages && { namedImages: model.namedImages }),
    ...(model.nameLimits && { nameLimits: model.nameLimits }),
    ...(model.sidecars && model.sidecars.length > 0 && { sidecars: allOf(model.sidecars) }),
    takesImages: model.architecture.vision !== undefined,
    keepsStates: keepsStates(model.architecture),
    contextTokens: model.contextTokens,
    concurrency: model.concurrency,
    gpuMemoryUtilization: estimate.utilization,
    kvCacheDtype: model.kvCacheDtype,
    ...(model.quantization !== undefined && { quantization: model.quantization }),
    ...(toldOfWeights && { loadAs: toldOfWeights }),
    format: servedFormat(model),
    ...(model.maxNumSeqs !== undefined && { maxNumSeqs: model.maxNumSeqs }),
    ...(model.args && { args: model.args }),
    ...(model.env && { env: model.env }),
    ...(model.chatTemplate && { chatTemplate: model.chatTemplate }),
    ...(adapters && { adapters }),
    ...(model.engineSettings && { engineSettings: model.engineSettings }),
    memoryPerGpu: estimate.perGpu,
    verdict: estimate.verdict,
    kvTokens: estimate.kvTokens,
    totalParametersB: countParameters(model.architecture).total / 1e9,
    weightsGB,
    modelStorageGiB: modelStorageGiB(weightsGB),
    startupBudgetSeconds: model.pod?.probes?.startupSeconds ?? planned,
    drainSeconds: environment.drainSeconds,
    resources,
    nodeSelector: pool.selector,
    tolerations: pool.taints,
    hourlyUsd: cost.hourlyUsd,
    monthlyUsd: cost.monthlyUsd,
    ...(speed && {
      speed,
      tokenPrice: modelPrice({ model, candidate, pool, speed, cost, stated: environment.apiPrices ?? [] }),
    }),
    ...("reason" in answer && { noSpeed: answer.reason }),
    sizing: compareWithRule(model, candidate, shape),
    capacityTable: compareWithTable(model, candidate),
    notes: [
      estimate.basis,
      ...assumptionNotes(model.architecture.assumed),
      ...estimate.notes,
      ...(model.notes ?? []),
      ...weightFormatNotes(model),
      ...candidate.notes,
      ...companionNotes(model),
      ...prefixCacheNotes(model, estimate.kvTokens),
      ...startNotes(model, planned),
    ],
  };
}

/** A user's limit shorter than a possible start. */
function startNotes({ name, pod }: ModelRequest, planned: number): string[] {
  const { startupSeconds = planned } = pod?.probes ?? {};
  return startupSeconds < planned
    ? [`models.${name}.pod.probes.startupSeconds ends a start after ${startupSeconds} s, and one may take ${planned} s`]
    : [];
}

function companionNotes({ engine }: ModelRequest): string[] {
  const { companion, label } = engineOf(engine);
  return companion
    ? [
        `in addition to the replicas ${label} takes ${companion.cpu} CPUs and ${companion.memoryGiB} GiB of one node, for the head of its cluster`,
      ]
    : [];
}

/** Costs of separate prefix caches: less cache, and prompts read again. */
function prefixCacheNotes({ prefixCaches, servedName }: ModelRequest, kvTokens: number): string[] {
  return prefixCaches
    ? [
        `its prefix cache has ${prefixCaches.parts} parts, one for each consumer or group that shares: a beginning that all of them send to ${servedName} is read ${prefixCaches.parts} times, and takes ${prefixCaches.parts} times its tokens of the ${decimal(kvTokens, 0)} in the cache (gateway.prefixCaches.share)`,
      ]
    : [];
}
