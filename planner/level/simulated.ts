/** The declared traffic of a model, played request by request: what the unlucky wait for, which no closed form knows well. */
import { Kept } from "../model/kept";
import type { ServiceLevel } from "../service-level";
import { band } from "../speed/margin";
import { promptWorkMs } from "../speed/prefill";
import { type ArrivingRequests, type Simulated, simulate, type Times } from "../speed/simulation";
import { stepMs } from "../speed/step";
import type { ReplicaSetup } from "../speed/types";
import { FIRST_TOKEN, tokenTimeOf, USUAL_LEVEL } from "./level-rate";
import type { ReplicaSpeed } from "./replica-speed";

/** Tokens of prompts in one step where nobody says how many the engine takes: vLLM's default on large cards. */
const USUAL_CHUNK = 8192;

/** What was played of a replica, by its rate: a plan, and the search for its fixes, ask the same again and again. */
const runs = new Kept<ReplicaSpeed, number, Simulated>();

/** Undefined for pipelines, whose stages the simulation does not know. */
export function simulatedAt(speed: ReplicaSpeed, requestsPerSecond: number): Simulated | undefined {
  const { setup, shape } = speed;
  if (setup.pipelineParallel > 1) {
    return undefined;
  }
  return runs.get(speed, requestsPerSecond, () => withWaits(setup, { ...shape, requestsPerSecond }));
}

/**
 * What every request waits besides delays all arrivals alike, so it changes nothing in the run: the engine's work for it, and
 * steps that were scheduled before it came.
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

function costsOf(setup: ReplicaSetup) {
  return {
    stepMs: (sequences: number, contextTokens: number) => stepMs(setup, { sequences, contextTokens }).totalMs,
    prefillMs: (tokens: number, alreadyRead: number) => promptWorkMs(setup, tokens, alreadyRead),
    overlapWait: setup.coefficients.overlap,
    kvTokens: setup.kvTokens,
    maxSequences: setup.maxNumSeqs ?? Number.POSITIVE_INFINITY,
    chunkTokens: setup.maxBatchedTokens ?? USUAL_CHUNK,
  };
}

/** Whether the times of a run are within a level at its confidence, and its queue did not grow. */
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

/** Runs that a search may take, each of some hundredths of a second. */
const MOST_STEPS = 6;

/** Replicas that keep the level at a peak of so many requests a second, by simulation: `replicas`, or as many more as it takes. */
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
