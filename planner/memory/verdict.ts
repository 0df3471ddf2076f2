/** The answer to "does it fit": the estimate and how far it can be off, against the limit. */
import type { MemoryEstimate, StageEstimate } from "./types";
import { type Interval, intervalOf, type MemoryParts, type Uncertainty } from "./uncertainty";

/** `fits` and `no` hold wherever in the interval the need is; between them nobody can say. */
export type MemoryAnswer = "fits" | "edge" | "no";

/**
 * What the answer turns on:
 * - engine: the engine refuses, whatever memory there is;
 * - weights: they and the activations leave no room for a cache;
 * - one request: its cache does not fit, so that the engine does not start;
 * - KV cache: that of all requests does not fit, so that the engine starts and lets some of them wait;
 * - graph capture: CUDA graphs, which some versions capture on top of the budget;
 * - host memory: without a GPU;
 * - other models: alone it would have another answer than beside the others of its server.
 */
export type Decider =
  | "engine"
  | "weights"
  | "one request"
  | "KV cache"
  | "graph capture"
  | "host memory"
  | "other models";

export interface MemoryVerdict {
  readonly answer: MemoryAnswer;
  readonly decides: Decider;
  /** What the need of the tightest GPU may stay under the estimate, or exceed it by, GiB. */
  readonly intervalGiB: { readonly below: number; readonly above: number };
  /** What was measured of the card, the version and the model, or what was not. */
  readonly basis: string;
  /** Part of the start-ups like this one whose need the interval is meant to hold. */
  readonly coverage: number;
}

/** What an engine needs on each GPU of a stage, GiB. */
export interface StageNeed {
  readonly stage: number;
  readonly layers: number;
  readonly parts: MemoryParts;
  /** Cache of one request of the full context, part of `parts.kvCache`. */
  readonly oneRequestGiB: number;
  /** What the engine may use. */
  readonly budgetGiB: number;
  /** What comes on top of the budget, graphs above all, and what it leaves of the card. */
  readonly capture?: { readonly uncountedGiB: number; readonly limitGiB: number };
  readonly kvPoolGiB: number;
}

/** The need of each stage with its interval, and the verdict on the tightest of them; without GPUs it is of the host. */
export function judge(
  needs: readonly StageNeed[],
  { terms, basis, coverage }: Uncertainty,
  on: "gpu" | "cpu" = "gpu",
): Pick<MemoryEstimate, "perGpu" | "stages" | "verdict" | "shortfallGiB"> {
  const judged = needs.map((need) => ({ need, estimate: estimateOf(need, intervalOf(terms, errorParts(need))) }));
  const worst = judged.reduce((tightest, stage) => (isTighter(stage.estimate, tightest.estimate) ? stage : tightest));
  const {
    stage: _stage,
    layers: _layers,
    overhead: _parts,
    kvPoolGiB: _pool,
    belowGiB,
    aboveGiB,
    ...perGpu
  } = worst.estimate;
  return {
    perGpu,
    stages: judged.map(({ estimate }) => estimate),
    verdict: {
      answer: answerOf(worst.estimate),
      decides: on === "cpu" ? "host memory" : deciderOf(worst.need, worst.estimate),
      intervalGiB: { below: belowGiB, above: aboveGiB },
      basis,
      coverage,
    },
    shortfallGiB: Math.max(0, missingGiB(worst.estimate)),
  };
}

/** An estimate whose stages have other needs or limits now: the tightest of them, and the verdict on it. */
export function judgedAgain(estimate: MemoryEstimate, stages: readonly StageEstimate[]): MemoryEstimate {
  const worst = stages.reduce((tightest, stage) => (isTighter(stage, tightest) ? stage : tightest));
  const { weightsGiB, kvCacheGiB, overheadGiB, totalGiB, limitGiB, belowGiB, aboveGiB } = worst;
  const { verdict } = estimate;
  const answer = answerOf(worst);
  return {
    ...estimate,
    perGpu: { weightsGiB, kvCacheGiB, overheadGiB, totalGiB, limitGiB },
    stages,
    verdict: {
      ...verdict,
      answer,
      decides: answer === verdict.answer ? verdict.decides : "other models",
      intervalGiB: { below: belowGiB, above: aboveGiB },
    },
    shortfallGiB: Math.max(0, missingGiB(worst)),
  };
}

function estimateOf({ stage, layers, parts, kvPoolGiB, ...need }: StageNeed, interval: Interval): StageEstimate {
  const overheadGiB = parts.activation + parts.nonTorch + parts.graphs;
  const totalGiB = parts.weights + parts.kvCache + overheadGiB;
  return {
    stage,
    layers,
    weightsGiB: parts.weights,
    kvCacheGiB: parts.kvCache,
    overheadGiB,
    overhead: { activationGiB: parts.activation, nonTorchGiB: parts.nonTorch, graphsGiB: parts.graphs },
    totalGiB,
    limitGiB: limitOf(need),
    // nothing needs less than nothing
    belowGiB: Math.min(interval.belowGiB, totalGiB),
    aboveGiB: interval.aboveGiB,
    kvPoolGiB,
  };
}

function limitOf({ budgetGiB, capture }: Pick<StageNeed, "budgetGiB" | "capture">): number {
  return Math.min(budgetGiB, capture?.limitGiB ?? budgetGiB);
}

/** What is outside the budget can be wrong where it decides. */
function errorParts({ parts, budgetGiB, capture }: StageNeed): MemoryParts {
  return capture && capture.limitGiB < budgetGiB ? { ...parts, graphs: parts.graphs + capture.uncountedGiB } : parts;
}

const SEVERITY: Readonly<Record<MemoryAnswer, number>> = { fits: 0, edge: 1, no: 2 };

/** Need and limit of a GPU. */
type Judged = Pick<StageEstimate, "totalGiB" | "limitGiB" | "belowGiB" | "aboveGiB">;

function isTighter(stage: Judged, than: Judged): boolean {
  const worse = SEVERITY[answerOf(stage)] - SEVERITY[answerOf(than)];
  return worse === 0 ? missingGiB(stage) > missingGiB(than) : worse > 0;
}

function answerOf({ totalGiB, limitGiB, belowGiB, aboveGiB }: Judged): MemoryAnswer {
  if (totalGiB + aboveGiB <= limitGiB) {
    return "fits";
  }
  return totalGiB - belowGiB > limitGiB ? "no" : "edge";
}

/** With the largest need in the interval; negative where memory is left. */
function missingGiB({ totalGiB, limitGiB, aboveGiB }: Judged): number {
  return totalGiB + aboveGiB - limitGiB;
}

/** The first need that is beyond the limit: for "no" wherever it is in the interval, else where it is largest. */
function deciderOf(need: StageNeed, estimate: StageEstimate): Decider {
  const answer = answerOf(estimate);
  const off = answer === "no" ? -estimate.belowGiB : estimate.aboveGiB;
  const base = estimate.weightsGiB + estimate.overheadGiB + off;
  const { capture, budgetGiB, oneRequestGiB } = need;
  if (capture && capture.limitGiB < budgetGiB && estimate.totalGiB + off <= budgetGiB) {
    return "graph capture";
  }
  if (base > estimate.limitGiB || need.parts.kvCache === 0) {
    return "weights";
  }
  return base + oneRequestGiB > estimate.limitGiB ? "one request" : "KV cache";
}

/** The same verdict where the engine refuses to start, whatever memory there is. */
export function refused(verdict: MemoryVerdict): MemoryVerdict {
  return { ...verdict, answer: "no", decides: "engine" };
}
