/** Three loads in rounds, within a time and a number of tokens that are known before. */
import type { MeasuredLoad } from "../../planner/speed/measurement";
import { type Client, Refusal, type Sample } from "./client";
import { closedLoop, type LoopResult } from "./closed-loop";
import { MeasureFailure } from "./failure";
import { summarize } from "./load-figures";
import { prompt, wordsFor } from "./prompts";
import { median } from "./statistics";
import type { MeasuredTraffic } from "./traffic";
import { sharedWords, type Trial } from "./trial";

/** Every load is measured so many times, in turn: what changes slowly then shows in all of them. */
export const ROUNDS = 4;

/** Requests that are measured in each round: of a load with few streams, and for each stream of one with many. */
const FEWEST_REQUESTS = 4;

export interface Loads {
  readonly traffic: MeasuredTraffic;
  /** Requests at once of each load, ascending. */
  readonly inFlight: readonly number[];
  /** For all rounds of all loads. */
  readonly seconds: number;
}

/** Where a load stands, for a line of progress. */
export interface LoadProgress {
  readonly round: number;
  readonly inFlight: number;
  readonly requests: number;
  readonly secondsLeft: number;
}

export interface Outcome {
  readonly loads: readonly MeasuredLoad[];
  /** Why loads are missing or poor. */
  readonly notes: readonly string[];
  /** Whether every load was measured in every round. */
  readonly complete: boolean;
}

const measuredEachRound = (inFlight: number): number => Math.max(FEWEST_REQUESTS, inFlight);

/** Before it was seen: how the time of a request grows with those beside it. Between a GPU's (hardly) and a CPU's (as many). */
const GROWTH = 0.75;

/** A round of a load: its streams begin one after the other, then each answers what counts, and what is cut off at the end. */
const usualMs = (streams: number, requestMs: number): number =>
  (requestMs * (measuredEachRound(streams) + 2 * streams)) / streams;

/** Tokens that the loads take at most, prompts and answers: warm-up and requests that are cut off at the end included. */
export function mostTokens({ traffic, inFlight }: Pick<Loads, "traffic" | "inFlight">): number {
  const requests = inFlight.reduce((sum, streams) => sum + ROUNDS * (measuredEachRound(streams) + 2 * streams), 0);
  return requests * (traffic.inputTokens + traffic.outputTokens);
}

/** Seconds that the loads need at least, by one request alone: one that warms up and one that counts, in each round. */
export function fewestSeconds({ sample }: Trial, { inFlight }: Pick<Loads, "inFlight">): number {
  return (ROUNDS * inFlight.length * 2 * sample.e2eMs) / 1000;
}

/** @param signal ends it early: what was measured until then is the outcome. */
export async function measureServer(
  { client, count, sample }: Trial,
  { traffic, inFlight, seconds }: Loads,
  random: () => number,
  signal: AbortSignal,
  onProgress: (progress: LoadProgress) => void,
): Promise<Outcome> {
  const until = performance.now() + seconds * 1000;
  const words = wordsFor(traffic.inputTokens, count);
  const shared = sharedWords(traffic, count);
  const ask = requestOf(client, traffic, () => prompt(words, shared, random), random);
  const results = new Map<number, LoopResult[]>(inFlight.map((streams) => [streams, []]));
  const given = new Map<number, string>();
  // Of a load, from its last round: neighbours start spread over one request.
  const lasting = new Map<number, number>();
  for (let round = 1; round <= ROUNDS && !signal.aborted; round += 1) {
    const running = inFlight.filter((streams) => !given.has(streams));
    for (const [place, streams] of running.entries()) {
      const usual = (each: number) => usualMs(each, lasting.get(each) ?? sample.e2eMs * each ** GROWTH);
      // What is left is shared by what the loads take: many requests at once are slower than one.
      const restMs = (from: readonly number[]) => from.reduce((total, each) => total + usual(each), 0);
      const share = usual(streams) / (restMs(running.slice(place)) + (ROUNDS - round) * restMs(running));
      const left = until - performance.now();
      if (left <= 0 || signal.aborted) {
        break;
      }
      let requests = 0;
      const tell = () =>
        onProgress({ round, inFlight: streams, requests, secondsLeft: (until - performance.now()) / 1000 });
      tell();
      const result = await closedLoop(
        {
          inFlight: streams,
          requests: measuredEachRound(streams),
          milliseconds: left * share,
          // Half of a slice must be left for what counts.
          spacingMs: Math.min(lasting.get(streams) ?? sample.e2eMs, (left * share) / 2) / streams,
        },
        async (ended) => {
          const one = await ask(ended);
          requests += 1;
          tell();
          return one;
        },
        signal,
      );
      results.get(streams)?.push(result);
      lasting.set(streams, result.samples.length > 0 ? median(result.samples.map(({ e2eMs }) => e2eMs)) : sample.e2eMs);
      const reason = signal.aborted ? undefined : reasonToGiveUp(streams, result);
      if (reason !== undefined) {
        given.set(streams, reason);
      }
    }
  }
  return outcomeOf(inFlight, results, given, traffic);
}

/** One request after another, of lengths that differ. */
function requestOf(
  client: Client,
  { outputTokens }: MeasuredTraffic,
  next: () => string,
  random: () => number,
): (signal: AbortSignal) => Promise<Sample> {
  return (signal) => client.ask(next(), Math.max(2, Math.round(outputTokens * (0.8 + 0.2 * random()))), signal);
}

function reasonToGiveUp(streams: number, { samples, failures }: LoopResult): string | undefined {
  const [failure] = failures;
  if (failure !== undefined && failures.length > Math.max(1, samples.length / 10)) {
    const lookAt = failure instanceof MeasureFailure ? `; look at: ${failure.lookAt}` : "";
    const limit = failure instanceof Refusal && failure.status === 429 ? "the server lets no more through: " : "";
    return `${streams} at once: ${limit}${failures.length} requests failed (${failure.message})${lookAt}`;
  }
  return samples.length === 0 ? `${streams} at once: no request ended within its share of the time` : undefined;
}

function outcomeOf(
  inFlight: readonly number[],
  results: ReadonlyMap<number, readonly LoopResult[]>,
  given: ReadonlyMap<number, string>,
  traffic: MeasuredTraffic,
): Outcome {
  const loads = inFlight.flatMap((streams) => {
    const rounds = (results.get(streams) ?? []).filter(({ samples }) => samples.length > 0);
    return rounds.length === 0 ? [] : [summarize(streams, rounds, traffic)];
  });
  const whole = inFlight.every((streams) => {
    const rounds = results.get(streams) ?? [];
    return rounds.length === ROUNDS && rounds.every(({ samples }) => samples.length > 0);
  });
  return { loads, notes: [...given.values()], complete: whole && given.size === 0 };
}
