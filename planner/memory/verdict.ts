/** The answer to "does it fit": the estimate and how far it can be off, against the limit. */
import type { MemoryBudget, MemoryEstimate, StageEstimate } from "./types";
import { type Interval, intervalOf, type MemoryParts, type Uncertainty } from "./uncertainty";

/** `fits` and `no` hold wherever in the interval the need is; between them nobody can say. */
export type MemoryAnswer = "fits" | "edge" | "no";

/**
 * What the answer turns on:
 * - engine: the engine refuses, whatever memory there is;
 * - weights: they and the activations leave no room for a cache;
 * - one request: its cache does not fit, so that the engine does not start;
 * - KV cache: that of all requests does not fit, so that the engine starts and lets some of them wait;
 * - free memory: less than the budget is free when the engine starts;
 * - graph capture: what comes on top of the budget once the cache is filled: tables of its pages, CUDA graphs, sampling;
 * - recurrent states: the cache has fewer places for them than requests that may run at once;
 * - host memory: without a GPU;
 * - other models: alone it would have another answer than beside the others of its server.
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

/** Deciders besides the room for the load. */
const START_CHECKS: readonly Decider[] = ["free memory", "graph capture", "recurrent states"];

export function isStartCheck(decides: Decider): boolean {
  return START_CHECKS.includes(decides);
}

export interface MemoryVerdict {
  readonly answer: MemoryAnswer;
  readonly decides: Decider;
  /** What decides, on the tightest GPU: the need by the estimate, and its limit. */
  readonly compared: { readonly needGiB: number; readonly limitGiB: number };
  /** What that need may stay under the estimate, or exceed it by, GiB. */
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
  /** What the engine asks besides, whatever load is planned. @default nothing */
  readonly checks?: readonly StartCheck[];
  readonly kvPoolGiB: number;
}

/** A need and a limit of their own, GiB of one GPU. */
export interface StartCheck {
  readonly decides: Decider;
  readonly needGiB: number;
  readonly limitGiB: number;
  /** Of the need, what can be wrong; an interval where nothing of the model is in it. */
  readonly off: MemoryParts | Interval;
}

/** The need of each stage with its interval, and the verdict on the tightest of them; without GPUs it is of the host. */
export function judge(
  needs: readonly StageNeed[],
  uncertainty: Uncertainty,
  on: "gpu" | "cpu" = "gpu",
): Pick<MemoryEstimate, "perGpu" | "stages" | "verdict" | "shortfallGiB"> {
  const judged = needs.map((need) => {
    const estimate = estimateOf(need, intervalOf(uncertainty, need.parts, need.budgetGiB));
    const load = { ...ofStage(estimate), decides: on === "cpu" ? "host memory" : deciderOf(need, estimate) } as const;
    const checks = (need.checks ?? []).map(({ off, ...check }) => ({
      ...check,
      ...("aboveGiB" in off ? off : intervalOf(uncertainty, off, need.budgetGiB)),
    }));
    const failing = checks.filter((check) => answerOf(check) !== "fits");
    const certain = failing.filter((check) => answerOf(check) === "no");
    // With less cache than the load needs the engine starts all the same; with these it does not.
    const others = load.decides === "KV cache" && certain.length > 0 ? certain : [load, ...failing];
    return { estimate, worst: others.reduce(tighter) };
  });
  const { basis, coverage } = uncertainty;
  const { estimate, worst } = judged.reduce((tightest, stage) =>
    tighter(tightest.worst, stage.worst) === tightest.worst ? tightest : stage,
  );
  return {
    perGpu: budgetOf(estimate),
    stages: judged.map((stage) => stage.estimate),
    verdict: { ...comparedIn(worst), decides: worst.decides, basis, coverage },
    shortfallGiB: Math.max(0, missingGiB(worst)),
  };
}

/** An estimate whose stages have other needs or limits now: the tightest of them, and the verdict on it. */
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
    // nothing needs less than nothing
    belowGiB: Math.min(interval.belowGiB, totalGiB),
    aboveGiB: interval.aboveGiB,
    kvPoolGiB,
  };
}

function budgetOf({ weightsGiB, kvCacheGiB, overheadGiB, totalGiB, limitGiB }: StageEstimate): MemoryBudget {
  return { weightsGiB, kvCacheGiB, overheadGiB, totalGiB, limitGiB };
}

/** A need beside its limit, GiB. */
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

/** The first of equals. */
function tighter<Some extends Comparison>(one: Some, next: Some): Some {
  return isTighter(next, one) ? next : one;
}

function answerOf({ needGiB, limitGiB, belowGiB, aboveGiB }: Comparison): MemoryAnswer {
  if (needGiB + aboveGiB <= limitGiB) {
    return "fits";
  }
  return needGiB - belowGiB > limitGiB ? "no" : "edge";
}

/** With the largest need in the interval; negative where memory is left. */
function missingGiB({ needGiB, limitGiB, aboveGiB }: Comparison): number {
  return needGiB + aboveGiB - limitGiB;
}

/** The first need that is beyond the limit: for "no" wherever it is in the interval, else where it is largest. */
function deciderOf({ oneRequestGiB, parts }: StageNeed, estimate: StageEstimate): Decider {
  const off = answerOf(ofStage(estimate)) === "no" ? -estimate.belowGiB : estimate.aboveGiB;
  const base = estimate.weightsGiB + estimate.overheadGiB + off;
  if (base > estimate.limitGiB || parts.kvCache === 0) {
    return "weights";
  }
  return base + oneRequestGiB > estimate.limitGiB ? "one request" : "KV cache";
}

/** The same verdict where the engine refuses to start, whatever memory there is. */
export function refused(verdict: MemoryVerdict): MemoryVerdict {
  return { ...verdict, answer: "no", decides: "engine" };
}
