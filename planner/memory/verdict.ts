/** Whether a model fits: the estimate with its interval against the limit. */
import type { MemoryBudget, MemoryEstimate, StageEstimate } from "./types";
import { type Interval, intervalOf, type MemoryParts, type Uncertainty } from "./uncertainty";

/** `fits` and `no` hold for the whole interval; `edge` is undecided. */
export type MemoryAnswer = "fits" | "edge" | "no";

/**
 * What decides:
 * - engine: the engine refuses, at any memory size;
 * - weights: with activations they leave no room for a cache;
 * - one request: its cache does not fit, so that the engine does not start;
 * - KV cache: that of all requests does not fit, so that the engine starts and queues some of them;
 * - free memory: less than the budget is free at start-up;
 * - graph capture: allocations beyond the budget once the cache is filled: page tables, CUDA
 *   graphs, sampling;
 * - recurrent states: the cache has fewer places for them than concurrent requests;
 * - host memory: without a GPU;
 * - other models: the answer changes because of others on its server.
 */
export type Decider =
  | "engine"
  | "weights"
  | "one request"
  | "KV cache"
  | "free memory"
  | "graph capture"
  | "recurrent states"
  | "host memory"
  | "other models";

/** Deciders other than the load. */
const START_CHECKS: readonly Decider[] = ["free memory", "graph capture", "recurrent states"];

export function isStartCheck(decides: Decider): boolean {
  return START_CHECKS.includes(decides);
}

export interface MemoryVerdict {
  readonly answer: MemoryAnswer;
  readonly decides: Decider;
  /** The deciding need and its limit on the tightest GPU. */
  readonly compared: { readonly needGiB: number; readonly limitGiB: number };
  /** Error of that need, GiB. */
  readonly intervalGiB: { readonly below: number; readonly above: number };
  /** What was measured of card, version and model, or not. */
  readonly basis: string;
  /** Intended fraction of similar start-ups within the interval. */
  readonly coverage: number;
}

/** Per GPU of a stage, GiB. */
export interface StageNeed {
  readonly stage: number;
  readonly layers: number;
  readonly parts: MemoryParts;
  /** Cache of one request at full context, part of `parts.kvCache`. */
  readonly oneRequestGiB: number;
  readonly budgetGiB: number;
  /** Needs independent of the load. @default none */
  readonly checks?: readonly StartCheck[];
  readonly kvPoolGiB: number;
}

/** A separate need and limit, GiB of one GPU. */
export interface StartCheck {
  readonly decides: Decider;
  readonly needGiB: number;
  readonly limitGiB: number;
  /** Uncertain parts of the need; an interval where none is the model's. */
  readonly off: MemoryParts | Interval;
}

/** Each stage's need with interval, and the verdict on the tightest; without GPUs, on the host. */
export function judge(
  needs: readonly StageNeed[],
  uncertainty: Uncertainty,
  on: "gpu" | "cpu" = "gpu",
): Pick<MemoryEstimate, "perGpu" | "stages" | "verdict" | "shortfallGiB"> {
  const judged = needs.map((need) => {
    const estimate = estimateOf(need, intervalOf(uncertainty, need.parts, need.budgetGiB));
    const decides = on === "cpu" ? "host memory" : deciderOf(need, estimate);
    const checks = (need.checks ?? []).map(({ off, ...check }) => ({
      ...check,
      ...("aboveGiB" in off ? off : intervalOf(uncertainty, off, need.budgetGiB)),
      estimate,
    }));
    return { load: { ...ofStage(estimate), decides, estimate }, checks };
  });
  const load = judged.map((stage) => stage.load).reduce(tighter);
  const failing = judged.flatMap(({ checks }) => checks).filter((check) => answerOf(check) !== "fits");
  const certain = failing.filter((check) => answerOf(check) === "no");
  // Too little cache still lets the engine start; a failed check, on any stage, does not.
  const others = load.decides === "KV cache" && certain.length > 0 ? certain : [load, ...failing];
  const worst = others.reduce(tighter);
  const { basis, coverage } = uncertainty;
  return {
    perGpu: budgetOf(worst.estimate),
    stages: judged.map((stage) => stage.load.estimate),
    verdict: { ...comparedIn(worst), decides: worst.decides, basis, coverage },
    shortfallGiB: Math.max(0, missingGiB(worst)),
  };
}

/** The estimate after its stages changed: the tightest stage with its verdict. */
export function judgedAgain(estimate: MemoryEstimate, stages: readonly StageEstimate[]): MemoryEstimate {
  const tightest = stages.reduce((one, next) => (isTighter(ofStage(next), ofStage(one)) ? next : one));
  const worst = ofStage(tightest);
  const { verdict } = estimate;
  return {
    ...estimate,
    perGpu: budgetOf(tightest),
    stages,
    verdict: {
      ...verdict,
      ...comparedIn(worst),
      decides: answerOf(worst) === verdict.answer ? verdict.decides : "other models",
    },
    shortfallGiB: Math.max(0, missingGiB(worst)),
  };
}

function estimateOf({ stage, layers, parts, kvPoolGiB, budgetGiB }: StageNeed, interval: Interval): StageEstimate {
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
    limitGiB: budgetGiB,
    // a need is never negative
    belowGiB: Math.min(interval.belowGiB, totalGiB),
    aboveGiB: interval.aboveGiB,
    kvPoolGiB,
  };
}

function budgetOf({ weightsGiB, kvCacheGiB, overheadGiB, totalGiB, limitGiB }: StageEstimate): MemoryBudget {
  return { weightsGiB, kvCacheGiB, overheadGiB, totalGiB, limitGiB };
}

/** GiB. */
interface Comparison extends Interval {
  readonly needGiB: number;
  readonly limitGiB: number;
}

function ofStage({ totalGiB, limitGiB, belowGiB, aboveGiB }: StageEstimate): Comparison {
  return { needGiB: totalGiB, limitGiB, belowGiB, aboveGiB };
}

function comparedIn(worst: Comparison): Pick<MemoryVerdict, "answer" | "compared" | "intervalGiB"> {
  const { needGiB, limitGiB, belowGiB: below, aboveGiB: above } = worst;
  return { answer: answerOf(worst), compared: { needGiB, limitGiB }, intervalGiB: { below, above } };
}

const SEVERITY: Readonly<Record<MemoryAnswer, number>> = { fits: 0, edge: 1, no: 2 };

function isTighter(one: Comparison, than: Comparison): boolean {
  const worse = SEVERITY[answerOf(one)] - SEVERITY[answerOf(than)];
  return worse === 0 ? missingGiB(one) > missingGiB(than) : worse > 0;
}

/** First of equals. */
function tighter<Some extends Comparison>(one: Some, next: Some): Some {
  return isTighter(next, one) ? next : one;
}

function answerOf({ needGiB, limitGiB, belowGiB, aboveGiB }: Comparison): MemoryAnswer {
  if (needGiB + aboveGiB <= limitGiB) {
    return "fits";
  }
  return needGiB - belowGiB > limitGiB ? "no" : "edge";
}

/** At the upper end of the interval; negative where memory is left. */
function missingGiB({ needGiB, limitGiB, aboveGiB }: Comparison): number {
  return needGiB + aboveGiB - limitGiB;
}

/** The first need beyond the limit: for "no" over the whole interval, else at its upper end. */
function deciderOf({ oneRequestGiB, parts }: StageNeed, estimate: StageEstimate): Decider {
  const off = answerOf(ofStage(estimate)) === "no" ? -estimate.belowGiB : estimate.aboveGiB;
  const base = estimate.weightsGiB + estimate.overheadGiB + off;
  if (base > estimate.limitGiB || parts.kvCache === 0) {
    return "weights";
  }
  return base + oneRequestGiB > estimate.limitGiB ? "one request" : "KV cache";
}

/** For an engine that refuses at any memory size. */
export function refused(verdict: MemoryVerdict): MemoryVerdict {
  return { ...verdict, answer: "no", decides: "engine" };
}
