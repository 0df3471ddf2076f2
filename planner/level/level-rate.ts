/**
 * Closed form of the rate that one replica answers within a service level. The worse edge of the
 * prediction's interval, at the level's confidence, decides.
 */
import { type ServiceLevel, USUAL_PERCENTILE } from "../service-level";
import { capacity } from "../speed/load";
import { band } from "../speed/margin";
import { normalQuantile } from "../speed/normal";
import { prefillMs } from "../speed/prefill";
import type { LimitedBy, RequestShape } from "../speed/types";
import type { ReplicaSpeed } from "./replica-speed";

export const USUAL_LEVEL = { confidence: 0.8, percentile: USUAL_PERCENTILE } as const;

/** Error of predicted times to first token: of measurements without remote client and tokenizer. */
export const FIRST_TOKEN = "firstToken";

export interface LevelRate {
  /** Requests a second within the level at its confidence; 0 where a single one breaks it. */
  readonly requestsPerSecond: number;
  /** By the prediction itself. */
  readonly expected: number;
  readonly sequences: number;
  /** Most running requests by the prediction itself: where an engine may stop. */
  readonly mostSequences: number;
  readonly limitedBy: LimitedBy;
  /** Times of a single request: the lower bound. */
  readonly floor: { readonly ttftMs: Edge; readonly tpotMs: Edge };
  /** Times of the level below their floor at its confidence. */
  readonly missed: readonly ("ttftMs" | "tpotMs")[];
}

export interface Edge {
  readonly expected: number;
  /** At the confidence. */
  readonly worse: number;
}

/** Longest time per token that a level allows, milliseconds; undefined without a limit. */
export function tokenTimeOf({ tpotMs, tokensPerSecond }: Pick<ServiceLevel, "tpotMs" | "tokensPerSecond">) {
  const times = [tpotMs, tokensPerSecond === undefined ? undefined : 1000 / tokensPerSecond].filter(
    (time) => time !== undefined,
  );
  return times.length === 0 ? undefined : Math.min(...times);
}

export function levelRate({ setup, basis, shape }: ReplicaSpeed, level: ServiceLevel = {}): LevelRate {
  const { confidence = USUAL_LEVEL.confidence, percentile = USUAL_LEVEL.percentile, ttftMs } = level;
  const tpotMs = tokenTimeOf(level);
  const worse = (question: "tpot" | typeof FIRST_TOKEN) => band(question, setup, confidence, basis).high;
  // A long prompt takes its time at any load, and the level covers it.
  const long = prefillMs(setup, promptTokens(shape, percentile)) - prefillMs(setup, promptTokens(shape));
  const within = (factors: { readonly tpot: number; readonly ttft: number }) =>
    capacity(setup, shape, {
      percentile,
      ...(tpotMs !== undefined && { tpotMs: tpotMs / factors.tpot }),
      ...(ttftMs !== undefined && { ttftMs: ttftMs / factors.ttft - long }),
    });
  const expected = within({ tpot: 1, ttft: 1 });
  const cautious = within({ tpot: worse("tpot"), ttft: worse(FIRST_TOKEN) });
  const floor = {
    ttftMs: edge(expected.floor.ttftMs + long, worse(FIRST_TOKEN)),
    tpotMs: edge(expected.floor.tpotMs, worse("tpot")),
  };
  const missed = [
    ...(ttftMs !== undefined && floor.ttftMs.worse > ttftMs ? (["ttftMs"] as const) : []),
    ...(tpotMs !== undefined && floor.tpotMs.worse > tpotMs ? (["tpotMs"] as const) : []),
  ];
  // Rates have their own error, used where times leave more room.
  const rate = band("requestsAtLevel", setup, confidence, basis).low * expected.requestsPerSecond;
  const binding = cautious.requestsPerSecond < rate ? cautious : expected;
  return {
    requestsPerSecond: missed.length > 0 ? 0 : Math.min(rate, cautious.requestsPerSecond),
    expected: expected.requestsPerSecond,
    sequences: binding.sequences,
    mostSequences: Math.max(expected.sequences, binding.sequences),
    limitedBy: binding.limitedBy,
    floor,
    missed,
  };
}

function edge(expected: number, factor: number): Edge {
  return { expected, worse: expected * factor };
}

/** Prompt tokens to read: average, or exceeded by the given percent (log-normal). */
function promptTokens({ inputTokens, sharedPrefixTokens, lengthVariation }: RequestShape, percentile?: number): number {
  const own = Math.max(1, inputTokens - sharedPrefixTokens);
  if (percentile === undefined) {
    return own;
  }
  const sigma = Math.sqrt(Math.log(1 + lengthVariation ** 2));
  const deviations = percentile > 50 ? normalQuantile(percentile / 100) : 0;
  return Math.max(1, own * Math.exp(deviations * sigma - sigma ** 2 / 2));
}
