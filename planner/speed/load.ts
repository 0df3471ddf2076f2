/**
 * Closed-form latency and throughput under load, fast enough to search thousands of candidates;
 * simulation.ts simulates the same load request by request.
 */
import { joined } from "./matrix-time";
import { normalQuantile } from "./normal";
import { firstTokenMs, type PromptBeside, promptBeside } from "./prefill";
import { limitOfStep, type StepTime, stepMs } from "./step";
import type { LimitedBy, ReplicaSetup, RequestShape, SpeedLevel } from "./types";

export interface ClosedLoop {
  /** Running requests; others wait. */
  readonly sequences: number;
  /** Mean per further token, including waits for other prompts. */
  readonly tpotMs: number;
  /** Mean; mostly queueing when requests wait for cache. */
  readonly ttftMs: number;
  readonly tokensPerSecond: number;
  readonly requestsPerSecond: number;
  readonly limitedBy: LimitedBy;
  /** More requests in flight than run. */
  readonly saturated: boolean;
}

/** `inFlight` clients, each sending its next request after an answer. */
export function closedLoop(setup: ReplicaSetup, shape: RequestShape, inFlight: number): ClosedLoop {
  const room = roomFor(setup, shape);
  const sequences = Math.max(1, Math.min(inFlight, room.sequences));
  const cycle = cycleOf(setup, shape, sequences);
  const requestsPerSecond = (1e3 * sequences) / (shape.outputTokens * cycle.iterationMs);
  const waiting = Math.max(0, inFlight - sequences) / requestsPerSecond;
  const busy = Math.min(0.95, (requestsPerSecond * cycle.promptMs) / 1e3);
  return {
    sequences,
    tpotMs: cycle.tpotMs,
    // The next request comes at an answer's end, which begins a step.
    ttftMs:
      cycle.firstMs + (sequences > 1 ? stepsWaitMs(setup, cycle, 1) : 0) + waitMs(cycle.promptMs, busy) + 1e3 * waiting,
    tokensPerSecond: requestsPerSecond * shape.outputTokens,
    requestsPerSecond,
    limitedBy: inFlight > room.sequences ? room.limitedBy : limitOfCycle(cycle, setup),
    saturated: inFlight > room.sequences,
  };
}

export interface RateLatency {
  readonly ttftMs: { readonly mean: number; readonly p99: number };
  readonly tpotMs: { readonly mean: number; readonly p99: number };
  /** Share of capacity. */
  readonly utilization: number;
  /** False: arrivals exceed capacity, and waits grow without bound. */
  readonly stable: boolean;
}

/** Random arrivals at an average rate. */
export function atRate(setup: ReplicaSetup, shape: RequestShape, requestsPerSecond: number): RateLatency {
  const room = roomFor(setup, shape).sequences;
  const prompt = promptOf(setup, shape);
  const rateOf = (sequences: number): number =>
    (1e3 * sequences) / (shape.outputTokens * cycleOf(setup, shape, sequences, prompt).iterationMs);
  const most = rateOf(room);
  const stable = requestsPerSecond < most;
  const sequences = stable ? largest(room, (each) => rateOf(each) <= requestsPerSecond, 0) : room;
  const cycle = cycleOf(setup, shape, Math.max(1, sequences), prompt);
  const busy = Math.min(0.99, (requestsPerSecond * cycle.queuedPromptMs) / 1e3);
  const share = Math.min(1, requestsPerSecond / rateOf(1));
  const base = cycle.firstMs + share * stepsWaitMs(setup, cycle, 0.5);
  return {
    ttftMs: {
      mean: stable ? base + waitMs(cycle.queuedPromptMs, busy) : Number.POSITIVE_INFINITY,
      p99: stable
        ? base + (share * cycle.iterationMs) / 2 + waitMs(cycle.queuedPromptMs, busy) * waitQuantile(99)
        : Number.POSITIVE_INFINITY,
    },
    tpotMs: { mean: cycle.tpotMs, p99: cycle.tpotMs * tpotQuantile(setup, 99) },
    utilization: requestsPerSecond / most,
    stable,
  };
}

export interface Capacity {
  /** Within the level; 0 where a single request breaks it. */
  readonly requestsPerSecond: number;
  readonly sequences: number;
  readonly limitedBy: LimitedBy;
  /** Times of a single request at the level's percentile: the lower bound. */
  readonly floor: { readonly ttftMs: number; readonly tpotMs: number };
}

/** Highest random arrival rate within a level. */
export function capacity(setup: ReplicaSetup, shape: RequestShape, level: SpeedLevel): Capacity {
  const room = roomFor(setup, shape, setup.coefficients.kvUse);
  const spread = tpotQuantile(setup, level.percentile);
  const prompt = promptOf(setup, shape);
  const broken = (sequences: number): LimitedBy | undefined => {
    const cycle = cycleOf(setup, shape, sequences, prompt);
    const rate = sequences / (shape.outputTokens * cycle.iterationMs);
    const busy = rate * cycle.queuedPromptMs;
    // A single request waits for no other prompt.
    if (sequences > 1 && busy > setup.coefficients.prefillUse) {
      return "prefill";
    }
    const tpot = sequences > 1 ? spread * cycle.iterationMs : cycle.stepMs;
    if (level.tpotMs !== undefined && tpot > level.tpotMs) {
      return limitOfCycle(cycle, setup);
    }
    const ttft =
      sequences > 1
        ? cycle.firstMs +
          stepsWaitMs(setup, cycle, 1) +
          waitMs(cycle.queuedPromptMs, busy) * waitQuantile(level.percentile)
        : cycle.firstMs;
    return level.ttftMs !== undefined && ttft > level.ttftMs ? "prefill" : undefined;
  };
  const alone = cycleOf(setup, shape, 1, prompt);
  const floor = { ttftMs: alone.firstMs, tpotMs: alone.stepMs };
  const atOne = broken(1);
  if (atOne !== undefined || room.sequences < 1) {
    return { requestsPerSecond: 0, sequences: 0, limitedBy: atOne ?? room.limitedBy, floor };
  }
  const sequences = largest(room.sequences, (each) => broken(each) === undefined, 1);
  const rate = (1e3 * sequences) / (shape.outputTokens * cycleOf(setup, shape, sequences, prompt).iterationMs);
  const isFull = sequences >= room.sequences * (1 - SEARCH_STEP);
  return {
    requestsPerSecond: rate,
    sequences,
    limitedBy: isFull ? room.limitedBy : (broken(sequences * (1 + 2 * SEARCH_STEP)) ?? room.limitedBy),
    floor,
  };
}

/** Maximum throughput: everything queued, or as many clients as the cache holds. */
export function offline(setup: ReplicaSetup, shape: RequestShape): ClosedLoop {
  return closedLoop(setup, shape, roomFor(setup, shape).sequences);
}

/** Prompt costs independent of running requests. */
interface Prompt {
  readonly beside: PromptBeside;
  /** Until the first token of a request without queueing. */
  readonly firstMs: number;
}

function promptOf(setup: ReplicaSetup, { inputTokens, sharedPrefixTokens }: RequestShape): Prompt {
  const prefix = Math.min(sharedPrefixTokens, inputTokens);
  return {
    beside: promptBeside(setup, inputTokens - prefix, prefix),
    firstMs: firstTokenMs(setup, inputTokens - prefix, prefix),
  };
}

/** Costs of `sequences` running requests that are continually replaced by new ones with prompts. */
export interface Cycle {
  readonly step: StepTime;
  readonly stepMs: number;
  /** One prompt's addition to steps. */
  readonly promptMs: number;
  /**
   * For queued prompts, one per stage. Independent of running requests, unlike `promptMs`, so that
   * a card that needs fewer at once does not look slower.
   */
  readonly queuedPromptMs: number;
  /** Until the first token of a request without queueing. */
  readonly firstMs: number;
  readonly tpotMs: number;
  /** One token for every running request, with its share of prompts. */
  readonly iterationMs: number;
  readonly promptShare: number;
}

/** @param prompt precomputed for many numbers of `sequences` */
export function cycleOf(
  setup: ReplicaSetup,
  shape: RequestShape,
  sequences: number,
  { beside: prompt, firstMs }: Prompt = promptOf(setup, shape),
): Cycle {
  const { pipelineParallel, coefficients } = setup;
  const { inputTokens, outputTokens } = shape;
  const step = stepMs(setup, { sequences, contextTokens: inputTokens + outputTokens / 2 });
  // One request finds every stage free; as many as stages meet in all of them.
  const met = pipelineParallel > 1 ? Math.min(1, (Math.max(1, sequences) - 1) / (pipelineParallel - 1)) : 0;
  const decodeMs = step.totalMs / (1 - (1 - coefficients.pipelineUse) * met);
  // Stages read several prompts in a pipeline.
  const stages = (pipelineParallel - 1) * coefficients.pipelineUse;
  // Each pipeline pass carries part of the sequences and their prompts.
  const spared = coefficients.mixing * sparedMs(setup, step, prompt, sequences / pipelineParallel / outputTokens);
  const promptMs = prompt.totalMs / (1 + stages * (1 - 1 / Math.max(1, sequences))) - spared / pipelineParallel;
  const perStep = (sequences / outputTokens) * promptMs;
  return {
    step,
    stepMs: decodeMs,
    promptMs,
    queuedPromptMs: prompt.totalMs / (1 + stages),
    firstMs,
    tpotMs: decodeMs + coefficients.overlap * ((Math.max(1, sequences) - 1) / outputTokens) * promptMs,
    iterationMs: decodeMs + perStep,
    promptShare: perStep / (decodeMs + perStep),
  };
}

/**
 * Saving per prompt in mixed steps: weights are read once while both compute. With few prompts each
 * is in one step; with many, a step has several. By formulas only: measurements do not show what
 * steps and prompts share.
 * @param perStep average prompts per step
 */
function sparedMs(
  { calibration }: ReplicaSetup,
  { matrices }: StepTime,
  { matricesMs }: PromptBeside,
  perStep: number,
): number {
  const each = Math.max(1, perStep);
  const together = joined(matrices.weightsMs, matrices.computeMs + each * matricesMs);
  const spared = Math.min(matricesMs, (matrices.totalMs + each * matricesMs - together) / each);
  return (calibration?.prompt ?? 1) * spared;
}

function limitOfCycle({ step, promptShare }: Cycle, setup: ReplicaSetup): LimitedBy {
  return promptShare > 0.5 ? "prefill" : limitOfStep(step, setup);
}

/** Average capacity of the cache in requests, which grow from prompt to prompt and answer. */
function roomFor(
  { kvTokens, maxNumSeqs = Number.POSITIVE_INFINITY }: ReplicaSetup,
  { inputTokens, outputTokens, sharedPrefixTokens }: RequestShape,
  use = 1,
): { readonly sequences: number; readonly limitedBy: LimitedBy } {
  const prefix = Math.min(sharedPrefixTokens, inputTokens);
  const inCache = (use * kvTokens - prefix) / (inputTokens - prefix + outputTokens / 2);
  return inCache < maxNumSeqs
    ? { sequences: Math.max(0, inCache), limitedBy: "kv-capacity" }
    : { sequences: maxNumSeqs, limitedBy: "max-num-seqs" };
}

const SEARCH_STEP = 0.005;

/** Largest number up to `most` for a monotone condition; relative error half a percent. */
function largest(most: number, holds: (value: number) => boolean, least: number): number {
  if (holds(most)) {
    return most;
  }
  let [low, high] = [least, most];
  while (high - low > SEARCH_STEP * Math.max(1, low)) {
    const middle = low > 4 ? Math.sqrt(low * high) : (low + high) / 2;
    if (holds(middle)) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/**
 * Wait for the step that reads the prompt, while others run.
 * @param rest of the step that it meets, 0 to 1
 */
function stepsWaitMs({ coefficients }: ReplicaSetup, { iterationMs }: Cycle, rest: number): number {
  return (rest + coefficients.stepsAhead) * iterationMs;
}

/** M/D/1 queue. */
function waitMs(serviceMs: number, busy: number): number {
  return (serviceMs * busy) / (2 * (1 - busy));
}

/** Roughly exponential waits: quantile over mean. */
function waitQuantile(percentile: number): number {
  return Math.log(1 / (1 - Math.min(percentile, 99.9) / 100));
}

/** Roughly normal between requests: quantile over mean. */
function tpotQuantile({ coefficients }: ReplicaSetup, percentile: number): number {
  const share = percentile <= 50 ? 0 : normalQuantile(Math.min(percentile, 99.9) / 100) / normalQuantile(0.99);
  return 1 + (coefficients.tpotP99 - 1) * share;
}
