/**
 * Latency and throughput of a replica under load, in closed form: fast enough for a search over thousands of candidates.
 * One figure each; simulation.ts plays the same load request by request.
 */
import { joined } from "./matrix-time";
import { normalQuantile } from "./normal";
import { firstTokenMs, type PromptBeside, promptBeside } from "./prefill";
import { limitOfStep, type StepTime, stepMs } from "./step";
import type { LimitedBy, ReplicaSetup, RequestShape, SpeedLevel } from "./types";

export interface ClosedLoop {
  /** Requests that run; the others wait. */
  readonly sequences: number;
  /** Mean time per output token after the first, with the waits for prompts of others. */
  readonly tpotMs: number;
  /** Mean time to the first token; where requests wait for room in the cache, mostly that wait. */
  readonly ttftMs: number;
  readonly tokensPerSecond: number;
  readonly requestsPerSecond: number;
  readonly limitedBy: LimitedBy;
  /** More requests are in flight than run: more of them only wait longer. */
  readonly saturated: boolean;
}

/** A replica that `inFlight` clients keep busy, each with its next request as soon as the last is answered. */
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
    // The next request comes when an answer has ended, which is when a step begins.
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
  /** Share of what the replica could answer. */
  readonly utilization: number;
  /** False: requests come faster than they are answered, and waits grow without end. */
  readonly stable: boolean;
}

/** A replica that requests reach at random, so many a second on average. */
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
  /** Most requests a second that keep to the level; 0 where not even one alone does. */
  readonly requestsPerSecond: number;
  /** Requests that run then. */
  readonly sequences: number;
  readonly limitedBy: LimitedBy;
  /** Times of a request alone, at the level's percentile: no load is answered faster. */
  readonly floor: { readonly ttftMs: number; readonly tpotMs: number };
}

/** The highest rate of random arrivals at which a replica keeps to a level. */
export function capacity(setup: ReplicaSetup, shape: RequestShape, level: SpeedLevel): Capacity {
  const room = roomFor(setup, shape, setup.coefficients.kvUse);
  const spread = tpotQuantile(setup, level.percentile);
  const prompt = promptOf(setup, shape);
  const broken = (sequences: number): LimitedBy | undefined => {
    const cycle = cycleOf(setup, shape, sequences, prompt);
    const rate = sequences / (shape.outputTokens * cycle.iterationMs);
    const busy = rate * cycle.queuedPromptMs;
    // One request alone waits for no other prompt.
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

/** Everything queued at once, or as many clients as the cache has room for: the most that a replica makes. */
export function offline(setup: ReplicaSetup, shape: RequestShape): ClosedLoop {
  return closedLoop(setup, shape, roomFor(setup, shape).sequences);
}

/** One prompt of a load, however many requests run. */
interface Prompt {
  readonly beside: PromptBeside;
  /** Until the first token of a request that waits for nobody. */
  readonly firstMs: number;
}

function promptOf(setup: ReplicaSetup, { inputTokens, sharedPrefixTokens }: RequestShape): Prompt {
  const prefix = Math.min(sharedPrefixTokens, inputTokens);
  return {
    beside: promptBeside(setup, inputTokens - prefix, prefix),
    firstMs: firstTokenMs(setup, inputTokens - prefix, prefix),
  };
}

/** What `sequences` running requests cost while each of them, now and then, is replaced by a new one with its prompt. */
export interface Cycle {
  readonly step: StepTime;
  readonly stepMs: number;
  /** What one prompt adds to the steps. */
  readonly promptMs: number;
  /**
   * The same where prompts queue: every stage reads one. Unlike `promptMs` it does not hang on how many requests run, so a
   * card that gets more done with fewer of them at once is not slower for it.
   */
  readonly queuedPromptMs: number;
  /** Until the first token of a request that waits for nobody. */
  readonly firstMs: number;
  readonly tpotMs: number;
  /** One token more for every running request, with its share of the prompts. */
  readonly iterationMs: number;
  readonly promptShare: number;
}

/** @param prompt for whoever asks for many numbers of `sequences` */
export function cycleOf(
  setup: ReplicaSetup,
  shape: RequestShape,
  sequences: number,
  { beside: prompt, firstMs }: Prompt = promptOf(setup, shape),
): Cycle {
  const { pipelineParallel, coefficients } = setup;
  const { inputTokens, outputTokens } = shape;
  const step = stepMs(setup, { sequences, contextTokens: inputTokens + outputTokens / 2 });
  // One request alone finds every stage free; as many as there are stages meet each other in all of them.
  const met = pipelineParallel > 1 ? Math.min(1, (Math.max(1, sequences) - 1) / (pipelineParallel - 1)) : 0;
  const decodeMs = step.totalMs / (1 - (1 - coefficients.pipelineUse) * met);
  // Stages read several prompts at once, one behind the other.
  const stages = (pipelineParallel - 1) * coefficients.pipelineUse;
  // Each pass of a pipeline carries a part of the sequences, and of their prompts.
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
 * What one prompt costs less because the steps that take it along read the weights anyway: while they are read, the arithmetic of
 * both goes on. With few prompts a step, each falls on one; with many, each step has several.
 * By the formulas alone: what was measured says how long steps and prompts take, and not what they share.
 * @param perStep prompts that one step takes along, on average
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

/** Requests that the cache holds at once on average: each grows from its prompt to prompt and answer. */
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

/** The largest number up to `most` for which a condition holds that, once broken, stays broken; relative error half a percent. */
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
 * What a request waits for the step that reads its prompt, while others run.
 * @param rest of the step that it meets, 0 to 1
 */
function stepsWaitMs({ coefficients }: ReplicaSetup, { iterationMs }: Cycle, rest: number): number {
  return (rest + coefficients.stepsAhead) * iterationMs;
}

/** Mean wait of a queue that is served one by one (M/D/1). */
function waitMs(serviceMs: number, busy: number): number {
  return (serviceMs * busy) / (2 * (1 - busy));
}

/** Waits are about exponential: their quantile over their mean. */
function waitQuantile(percentile: number): number {
  return Math.log(1 / (1 - Math.min(percentile, 99.9) / 100));
}

/** Quantile of the time per output token over its mean, about normal between requests. */
function tpotQuantile({ coefficients }: ReplicaSetup, percentile: number): number {
  const share = percentile <= 50 ? 0 : normalQuantile(Math.min(percentile, 99.9) / 100) / normalQuantile(0.99);
  return 1 + (coefficients.tpotP99 - 1) * share;
}
