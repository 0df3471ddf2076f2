/** Simulates declared traffic request by request, for tails that the closed form misses. */
import { Kept } from "../model/kept";
import type { ServiceLevel } from "../service-level";
import { band } from "../speed/margin";
import { promptWorkMs } from "../speed/prefill";
import { type ArrivingRequests, type BatchCosts, type Simulated, simulate, type Times } from "../speed/simulation";
import { stepMs, stepOf } from "../speed/step";
import type { ReplicaSetup } from "../speed/types";
import { FIRST_TOKEN, tokenTimeOf, USUAL_LEVEL } from "./level-rate";
import type { ReplicaSpeed } from "./replica-speed";

/** Prompt tokens per step by default: vLLM's on large cards. */
const USUAL_CHUNK = 8192;

/** Cached by rate: plans and the search for fixes repeat runs. */
const runs = new Kept<ReplicaSpeed, number, Simulated>();

/** Undefined for pipelines: stages are not simulated. */
export function simulatedAt(speed: ReplicaSpeed, requestsPerSecond: number): Simulated | undefined {
  const { setup, shape } = speed;
  if (setup.pipelineParallel > 1) {
    return undefined;
  }
  return runs.get(speed, requestsPerSecond, () => withWaits(setup, { ...shape, requestsPerSecond }));
}

/**
 * Waits that every request has, for the engine's own work and steps already scheduled, delay all
 * arrivals alike and leave the run unchanged.
 */
function withWaits(setup: ReplicaSetup, requests: ArrivingRequests): Simulated {
  const run = simulate(costsOf(setup), requests);
  const { requestMs, stepsAhead } = setup.coefficients;
  const contextTokens = requests.inputTokens + requests.outputTokens / 2;
  const { totalMs } = stepMs(setup, { sequences: Math.max(1, run.inFlight), contextTokens });
  const besideMs = requestMs + stepsAhead * Math.min(1, run.inFlight) * totalMs;
  const { mean, p50, p90, p95, p99 } = run.ttftMs;
  const later = (time: number) => time + besideMs;
  return {
    ...run,
    ttftMs: { mean: later(mean), p50: later(p50), p90: later(p90), p95: later(p95), p99: later(p99) },
  };
}

function costsOf(setup: ReplicaSetup): BatchCosts {
  const steps: ReturnType<typeof stepOf>[] = [];
  return {
    stepMs: (sequences, contextTokens) => {
      const step = steps[sequences] ?? stepOf(setup, sequences);
      steps[sequences] = step;
      return step(contextTokens).totalMs;
    },
    prefillMs: (tokens, alreadyRead) => promptWorkMs(setup, tokens, alreadyRead),
    overlapWait: setup.coefficients.overlap,
    kvTokens: setup.kvTokens,
    maxSequences: setup.maxNumSeqs ?? Number.POSITIVE_INFINITY,
    chunkTokens: setup.maxBatchedTokens ?? USUAL_CHUNK,
  };
}

/** Whether a run's times keep a level at its confidence, and its queue is stable. */
export function keepsLevel({ setup, basis }: ReplicaSpeed, run: Simulated, level: ServiceLevel = {}): boolean {
  const { confidence = USUAL_LEVEL.confidence, percentile = USUAL_LEVEL.percentile, ttftMs } = level;
  const tpotMs = tokenTimeOf(level);
  const worse = (question: "tpot" | typeof FIRST_TOKEN, times: Times) =>
    times[`p${percentile}`] * band(question, setup, confidence, basis).high;
  return (
    !run.saturated &&
    (tpotMs === undefined || run.tpotMs === undefined || worse("tpot", run.tpotMs) <= tpotMs) &&
    (ttftMs === undefined || worse(FIRST_TOKEN, run.ttftMs) <= ttftMs)
  );
}

/** Runs per search, some hundredths of a second each. */
const MOST_STEPS = 6;

/** Replicas that keep the level at a peak rate by simulation: at least `replicas`. */
export function confirmedReplicas(
  speed: ReplicaSpeed,
  level: ServiceLevel | undefined,
  peak: number,
  replicas: number,
): number {
  const keeps = (count: number): boolean => {
    const run = simulatedAt(speed, peak / count);
    return run === undefined || keepsLevel(speed, run, level);
  };
  if (keeps(replicas)) {
    return replicas;
  }
  let [low, high] = [replicas, replicas + 1];
  for (let step = 1; step < MOST_STEPS && !keeps(high); step += 1) {
    [low, high] = [high, high + 2 ** step];
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    [low, high] = keeps(middle) ? [low, middle] : [middle, high];
  }
  return high;
}
