/** Three loads in rounds, within a known time and number of tokens. */
import type { MeasuredLoad } from "../../planner/speed/measurement";
import { type Client, Refusal, type Sample } from "./client";
import { closedLoop, type LoopResult } from "./closed-loop";
import { MeasureFailure } from "./failure";
import { summarize } from "./load-figures";
import { prompt, wordsFor } from "./prompts";
import { median } from "./statistics";
import type { MeasuredTraffic } from "./traffic";
import { sharedWords, type Trial } from "./trial";

/** Each load is measured this often, alternating, so that slow changes affect all. */
export const ROUNDS = 4;

/** Measured requests per round: in total for few streams, per stream for many. */
const FEWEST_REQUESTS = 4;

export interface Loads {
  readonly traffic: MeasuredTraffic;
  /** Concurrency of each load, ascending. */
  readonly inFlight: readonly number[];
  /** All rounds of all loads. */
  readonly seconds: number;
}

/** For a progress line. */
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
  /** Every load was measured in every round. */
  readonly complete: boolean;
}

const measuredEachRound = (inFlight: number): number => Math.max(FEWEST_REQUESTS, inFlight);

/**
 * Initial guess of how request time grows with concurrency, between a GPU's (hardly) and a CPU's
 * (linearly).
 */
const GROWTH = 0.75;

/** Round of a load: staggered starts, measured requests, and aborted ones. */
const usualMs = (streams: number, requestMs: number): number =>
  (requestMs * (measuredEachRound(streams) + 2 * streams)) / streams;

/** Upper bound of prompt and answer tokens, with warm-up and aborted requests. */
export function mostTokens({ traffic, inFlight }: Pick<Loads, "traffic" | "inFlight">): number {
  const requests = inFlight.reduce((sum, streams) => sum + ROUNDS * (measuredEachRound(streams) + 2 * streams), 0);
  return requests * (traffic.inputTokens + traffic.outputTokens);
}

/** Lower bound, from a single request: one warm-up and one measured per round. */
export function fewestSeconds({ sample }: Trial, { inFlight }: Pick<Loads, "inFlight">): number {
  return (ROUNDS * inFlight.length * 2 * sample.e2eMs) / 1000;
}

/** @param signal ends it early, with results so far. */
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
  // From its last round: starts are spread over one request.
  const lasting = new Map<number, number>();
  for (let round = 1; round <= ROUNDS && !signal.aborted; round += 1) {
    const running = inFlight.filter((streams) => !given.has(streams));
    for (const [place, streams] of running.entries()) {
      const usual = (each: number) => usualMs(each, lasting.get(each) ?? sample.e2eMs * each ** GROWTH);
      // The rest is shared by need: many concurrent requests are slower.
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
          // Half of a slice must remain for measured requests.
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

/** Lengths vary. */
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
