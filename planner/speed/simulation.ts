/**
 * Continuous batching as an event loop: requests arrive at random, wait for KV cache, are read in
 * chunks next to other answers, and leave. It shows the tails that means hide.
 */
import { exponential, logNormal, randomFrom } from "./random";

/** Milliseconds. */
export interface BatchCosts {
  /** One token per sequence, at an average context. */
  stepMs(sequences: number, contextTokens: number): number;
  /** Part of a prompt, after what is already read. */
  prefillMs(tokens: number, alreadyRead: number): number;
  /** Share of a chunk's time that concurrent answers wait; the rest overlaps. 0 to 1. */
  readonly overlapWait: number;
  /** Cache capacity. */
  readonly kvTokens: number;
  readonly maxSequences: number;
  /** Prompt tokens per step at most. */
  readonly chunkTokens: number;
}

export interface ArrivingRequests {
  readonly requestsPerSecond: number;
  /** Means. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Input already cached: neither read nor stored again. */
  readonly sharedPrefixTokens: number;
  /** Standard deviation of both lengths over their mean. */
  readonly lengthVariation: number;
}

export interface Times {
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
}

export interface Simulated {
  /** From arrival, milliseconds. */
  readonly ttftMs: Times;
  /** Average per further token, milliseconds. Undefined for answers of one token. */
  readonly tpotMs?: Times;
  /** Answered, over the whole run. */
  readonly requestsPerSecond: number;
  /** Including queued ones: mean over time. */
  readonly inFlight: number;
  /** Peak cache usage, as a fraction. */
  readonly mostOfCache: number;
  /**
   * The queue grew until the end: times only reflect the run's length. Use the closed form for the
   * distance from saturation, which a run of some thousand requests may miss.
   */
  readonly saturated: boolean;
}

/** The first requests meet an empty engine and do not count. */
const WARM_UP = 200;
const COUNTED = 1500;
/** Fixed, because plans must not change by themselves. */
const SEED = 20_261_124;

interface Sequence {
  readonly arrivedMs: number;
  readonly input: number;
  readonly output: number;
  read: number;
  written: number;
  firstTokenMs: number;
}

/** @param costs must grow with their arguments. */
export function simulate(costs: BatchCosts, requests: ArrivingRequests, seed = SEED): Simulated {
  const queue = arrivals(requests, costs.kvTokens, seed);
  const running: Sequence[] = [];
  const reading: Sequence[] = [];
  const done: { request: Sequence; endedMs: number }[] = [];
  const shared = Math.min(requests.sharedPrefixTokens, costs.kvTokens);
  let now = 0;
  let next = 0;
  let held = shared;
  let most = held;

  const admit = () => {
    for (let first = queue[next]; first !== undefined && first.arrivedMs <= now; first = queue[next]) {
      const room = first.input + first.output;
      const isFull = held + room > costs.kvTokens && running.length + reading.length > 0;
      if (isFull || running.length + reading.length >= costs.maxSequences) {
        return;
      }
      held += room;
      most = Math.max(most, held);
      reading.push(first);
      next += 1;
    }
  };
  const end = (request: Sequence) => {
    held -= request.input + request.output;
    done.push({ request, endedMs: now });
  };
  const answerMs = (context: number) => costs.stepMs(running.length, context / running.length + shared);

  while (done.length < queue.length) {
    admit();
    const current = reading[0];
    if (current === undefined && running.length === 0) {
      now = queue[next]?.arrivedMs ?? now;
      continue;
    }
    let [context, untilEnd] = [0, Number.POSITIVE_INFINITY];
    for (const { input, output, written } of running) {
      context += input;
      context += written;
      untilEnd = Math.min(untilEnd, output - written);
    }
    if (current !== undefined) {
      const chunk = Math.min(costs.chunkTokens, current.input - current.read);
      const chunkMs = costs.prefillMs(chunk, shared + current.read);
      now += running.length === 0 ? chunkMs : Math.max(chunkMs, answerMs(context) + costs.overlapWait * chunkMs);
      current.read += chunk;
      write(running, 1);
      if (current.read >= current.input) {
        reading.shift();
        current.firstTokenMs = now;
        current.written = 1;
        running.push(current);
      }
    } else {
      // No change until an answer ends or a request arrives: these steps are one.
      const stepMs = answerMs(context);
      const arrival = queue[next];
      const isWaiting = arrival === undefined || arrival.arrivedMs <= now;
      const untilArrival = isWaiting ? untilEnd : Math.ceil((arrival.arrivedMs - now) / stepMs);
      const steps = Math.max(1, Math.min(untilEnd, untilArrival));
      now += steps * answerMs(context + (running.length * (steps - 1)) / 2);
      write(running, steps);
    }
    for (let index = running.length - 1; index >= 0; index -= 1) {
      const request = running[index] as Sequence;
      if (request.written >= request.output) {
        running.splice(index, 1);
        end(request);
      }
    }
  }
  return summary(done, most / costs.kvTokens, now);
}

function write(running: readonly Sequence[], tokens: number): void {
  for (const request of running) {
    request.written += tokens;
  }
}

/** Separate random sources for lengths and gaps, so that other rates have the same requests. */
function arrivals(requests: ArrivingRequests, kvTokens: number, seed: number): Sequence[] {
  const gaps = randomFrom(seed);
  const lengths = randomFrom(seed ^ 0x5bd1e995);
  const { lengthVariation, sharedPrefixTokens } = requests;
  // Drops requests that the engine refuses: they would wait forever.
  const longest = Math.max(2, kvTokens - sharedPrefixTokens);
  const own = Math.max(1, requests.inputTokens - sharedPrefixTokens);
  let at = 0;
  return Array.from({ length: WARM_UP + COUNTED }, () => {
    at += (exponential(gaps) * 1000) / requests.requestsPerSecond;
    const input = clamp(Math.round(own * logNormal(lengths, lengthVariation)), longest - 1);
    const output = clamp(Math.round(requests.outputTokens * logNormal(lengths, lengthVariation)), longest - input);
    return { arrivedMs: at, input, output, read: 0, written: 0, firstTokenMs: 0 };
  });
}

function clamp(tokens: number, most: number): number {
  return Math.max(1, Math.min(tokens, most));
}

function summary(done: { request: Sequence; endedMs: number }[], mostOfCache: number, endMs: number): Simulated {
  const byArrival = done.sort((a, b) => a.request.arrivedMs - b.request.arrivedMs);
  const counted = byArrival.slice(WARM_UP);
  const waits = counted.map(({ request }) => request.firstTokenMs - request.arrivedMs);
  const each = counted
    .filter(({ request }) => request.output > 1)
    .map(({ request, endedMs }) => (endedMs - request.firstTokenMs) / (request.output - 1));
  const spent = byArrival.reduce((sum, { request, endedMs }) => sum + endedMs - request.arrivedMs, 0);
  const lastArrival = byArrival.at(-1)?.request.arrivedMs ?? 0;
  const ownMs = spent / byArrival.length;
  return {
    ttftMs: timesOf(waits),
    ...(each.length > 0 && { tpotMs: timesOf(each) }),
    requestsPerSecond: (byArrival.length * 1000) / endMs,
    inFlight: spent / endMs,
    mostOfCache,
    // A stable queue is empty soon after the last arrival.
    saturated: isGrowing(waits) && endMs - lastArrival > ownMs / 4,
  };
}

/** The last quarter waits far longer than the second. */
function isGrowing(waits: readonly number[]): boolean {
  const quarter = Math.floor(waits.length / 4);
  const early = mean(waits.slice(quarter, 2 * quarter));
  const late = mean(waits.slice(3 * quarter));
  return late > 1.5 * early;
}

function timesOf(values: readonly number[]): Times {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? 0;
  return { mean: mean(values), p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99) };
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
