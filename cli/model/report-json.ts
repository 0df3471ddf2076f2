import { engineOf } from "../../engines";
import type { MemoryRequest } from "../../engines/memory-request";
import { adviceJson } from "./advice";
import type { ModelReport } from "./report";

/**
 * weightsGB is the download, as in a plan; perGpu.kvCacheGiB and kvTokens are the pool that the
 * engine would report, needed* the requested load.
 */
export function reportJson(report: ModelReport) {
  const { request, estimate, parameters, filesGB, unknown } = report;
  const { architecture } = request;
  /** Null where the figure depends on an unknown cache. */
  const ifKnown = (figure: number): number | null => (unknown === undefined ? figure : null);
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
    weightsGB: filesGB,
    weightsFrom: architecture.checkpoint?.inventory === undefined ? "config.json" : architecture.checkpoint.from,
    ...(architecture.checkpoint && { files: filesJson(architecture.checkpoint) }),
    kvCacheBytesPerToken: ifKnown(report.kvBytesPerToken),
    kvCacheBytesPerTokenBeyondWindow: ifKnown(report.kvBytesPerTokenBeyondWindow),
    stateElementsPerSequence: { ssm: report.stateElements.recurrent, conv: report.stateElements.convolution },
    engine: request.engine,
    ...versionKey(request),
    gpuModel: request.gpuModel,
    gpuMemoryGiB: request.gpuMemoryGiB,
    tensorParallel: request.tensorParallel,
    pipelineParallel: request.pipelineParallel,
    gpuMemoryUtilization: estimate.utilization,
    perGpu: {
      weightsGiB: estimate.perGpu.weightsGiB,
      overheadGiB: estimate.perGpu.overheadGiB,
      kvCacheGiB: estimate.kvPoolGiB,
      limitGiB: estimate.perGpu.limitGiB,
      neededKvCacheGiB: ifKnown(estimate.perGpu.kvCacheGiB),
      neededTotalGiB: ifKnown(estimate.perGpu.totalGiB),
    },
    stages: estimate.stages.map((stage) => ({
      ...stage,
      kvCacheGiB: ifKnown(stage.kvCacheGiB),
      totalGiB: ifKnown(stage.totalGiB),
    })),
    kvTokens: ifKnown(estimate.kvTokens),
    requiredTokens: estimate.requiredTokens,
    requestCapacity: Number.isFinite(estimate.requestCapacity) ? estimate.requestCapacity : null,
    // null: unknown
    fits: unknown !== undefined && report.verdict.answer === "edge" ? null : report.fits,
    ...(unknown !== undefined && { unknown }),
    verdict: report.verdict,
    shortfallGiB: estimate.shortfallGiB,
    layoutProblems: report.layoutProblems,
    refusals: report.refusals,
    basis: estimate.basis,
    notes: report.notes,
    ...(report.advice && adviceJson(report.advice)),
  };
}

/** The engine's name and `Version`, for figures of one version. */
function versionKey({ engine: { name, version } }: MemoryRequest): Readonly<Record<string, string>> {
  return engineOf(name).memoryByVersion ? { [`${name}Version`]: version } : {};
}

function filesJson({ from, files, fileBytes, bytesByType }: NonNullable<MemoryRequest["architecture"]["checkpoint"]>) {
  return { readFrom: from, count: files, bytes: fileBytes, tensorBytesByType: bytesByType };
}
