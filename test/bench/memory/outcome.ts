/** A start-up beside the planner's estimate of it. */
import { estimateVllm } from "../../../engines/vllm/memory/estimate";
import { evidenceFor, type VllmEvidence } from "../../../engines/vllm/memory/evidence";
import type { VllmRequest } from "../../../engines/vllm/memory/request";
import type { MemoryEstimate } from "../../../planner/memory/types";
import type { MemoryVerdict } from "../../../planner/memory/verdict";
import { cardOf } from "./cards";
import { type ModelIndex, UnresolvedError } from "./models";
import type { StartUp } from "./start-ups";

/** Estimate less measurement. */
export interface Outcome {
  readonly startUp: StartUp;
  /** Repository whose configuration was used, and the catalogue's card. */
  readonly configuration: string;
  readonly card: string;
  readonly evidence: VllmEvidence;
  readonly estimate: MemoryEstimate;
  readonly weightsGiB: number;
  readonly weightsPercent?: number;
  readonly tokensPercent?: number;
  /** Memory for the KV cache, GiB. */
  readonly pool?: PoolOutcome;
}

export interface PoolOutcome {
  readonly measuredGiB: number;
  readonly estimatedGiB: number;
  readonly errorGiB: number;
  /** What the estimated pool may exceed the real one by, or stay under it. */
  readonly intervalGiB: { readonly below: number; readonly above: number };
  /** `over`: a load at the pessimistic edge would have been promised in vain; `under`: one denied that there was room for. */
  readonly where: "inside" | "over" | "under";
  /** The start-up's own load: it did start. */
  readonly verdict: Pick<MemoryVerdict, "answer" | "decides">;
  readonly right: boolean;
}

export interface Unresolved {
  readonly startUp: StartUp;
  readonly reason: string;
}

/** Estimates each start-up; those that cannot be are listed with the reason. */
export function outcomesOf(
  startUps: readonly StartUp[],
  models: ModelIndex,
): { readonly outcomes: readonly Outcome[]; readonly unresolved: readonly Unresolved[] } {
  const outcomes: Outcome[] = [];
  const unresolved: Unresolved[] = [];
  for (const startUp of startUps) {
    try {
      outcomes.push(outcomeOf(startUp, models));
    } catch (error) {
      unresolved.push({ startUp, reason: (error as Error).message.split("\n")[0] ?? "" });
    }
  }
  return { outcomes, unresolved };
}

/** @throws UnresolvedError, UnknownFormatError */
function outcomeOf(startUp: StartUp, models: ModelIndex): Outcome {
  const { architecture, kvCacheDtype, from } = models.resolve(startUp.model, startUp.format);
  const { weightsGiB = 0, kvCacheGiB = 0, kvTokens, version, utilization } = startUp;
  const card = cardOf(startUp.gpu, weightsGiB + kvCacheGiB);
  if (card === undefined) {
    throw new UnresolvedError(`the catalogue has no card "${startUp.gpu}" that holds what was measured`);
  }
  if (version === undefined) {
    throw new UnresolvedError("the log does not tell the vLLM version");
  }
  const request: VllmRequest = {
    architecture,
    engine: { version },
    installedFrom: startUp.installedFrom,
    gpuMemoryGiB: startUp.gpuMemoryGiB ?? card.engineMemoryGiB,
    gpuModel: card.model,
    tensorParallel: startUp.tensorParallel,
    pipelineParallel: startUp.pipelineParallel,
    contextTokens: startUp.maxModelLen ?? architecture.maxContextTokens,
    concurrency: 1,
    kvCacheDtype,
    utilization,
  };
  const estimate = estimateVllm(request);
  const loadedGiB = estimate.stages[0]?.weightsGiB ?? 0;
  // With stages, a log prints each one's memory, and the tokens of the one that limits.
  const ofTokens = poolOfTokens(estimate, kvTokens);
  const measuredGiB =
    startUp.pipelineParallel > 1 ? (ofTokens ?? startUp.kvCacheGiB) : (startUp.kvCacheGiB ?? ofTokens);
  return {
    startUp,
    configuration: from,
    card: card.model,
    evidence: evidenceFor(request),
    estimate,
    weightsGiB: loadedGiB,
    ...(startUp.weightsGiB !== undefined && { weightsPercent: 100 * (loadedGiB / startUp.weightsGiB - 1) }),
    ...(kvTokens !== undefined && { tokensPercent: 100 * (estimate.kvTokens / kvTokens - 1) }),
    ...(measuredGiB !== undefined && { pool: poolOutcome(request, estimate, measuredGiB) }),
  };
}

/** Where a log tells tokens alone: the pool that holds so many, at the estimate's bytes for each. */
function poolOfTokens({ kvPoolGiB, kvTokens }: MemoryEstimate, tokens: number | undefined): number | undefined {
  return tokens === undefined || kvTokens === 0 ? undefined : (kvPoolGiB * tokens) / kvTokens;
}

function poolOutcome(request: VllmRequest, estimate: MemoryEstimate, measuredGiB: number): PoolOutcome {
  const { below, above } = intervalOf(request, estimate);
  const errorGiB = estimate.kvPoolGiB - measuredGiB;
  const { answer, decides } = estimate.verdict;
  return {
    measuredGiB,
    estimatedGiB: estimate.kvPoolGiB,
    errorGiB,
    intervalGiB: { below, above },
    where: errorGiB > above ? "over" : -errorGiB > below ? "under" : "inside",
    verdict: { answer, decides },
    right: answer !== "no",
  };
}

/**
 * Of the GPU that limits the cache. Up to 0.11.0 the image and pip differ (engines/vllm/memory/versions.ts): where a log does
 * not tell which it was, the interval holds both.
 */
function intervalOf(request: VllmRequest, estimate: MemoryEstimate): MemoryVerdict["intervalGiB"] {
  const edges = request.installedFrom === undefined ? [estimate, fromPip(request)] : [estimate];
  const limiting = edges.map(({ kvPoolGiB, stages, verdict }) => {
    const stage = stages.find((candidate) => candidate.kvPoolGiB === kvPoolGiB);
    const { below, above } = stage ? { below: stage.belowGiB, above: stage.aboveGiB } : verdict.intervalGiB;
    return { least: kvPoolGiB - above, most: kvPoolGiB + below };
  });
  return {
    below: Math.max(...limiting.map(({ most }) => most)) - estimate.kvPoolGiB,
    above: estimate.kvPoolGiB - Math.min(...limiting.map(({ least }) => least)),
  };
}

function fromPip(request: VllmRequest): MemoryEstimate {
  return estimateVllm({ ...request, installedFrom: "pip" });
}
