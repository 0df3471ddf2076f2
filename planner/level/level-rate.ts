/**
 * How many requests a second one replica answers within a service level, in closed form. Predictions have an error: what
 * decides is the worse edge of their interval, at the level's confidence.
 */
import { type ServiceLevel, USUAL_PERCENTILE } from "../service-level";
import { capacity } from "../speed/load";
import { band } from "../speed/margin";
import { normalQuantile } from "../speed/normal";
import { prefillMs } from "../speed/prefill";
import type { LimitedBy, RequestShape } from "../speed/types";
import type { ReplicaSpeed } from "./replica-speed";

/** Of models that declare none. */
export const USUAL_LEVEL = { confidence: 0.8, percentile: USUAL_PERCENTILE } as const;

/** Error that a predicted time to the first token has: that of measurements without a remote client and its tokenizer. */
export const FIRST_TOKEN = "firstToken";

export interface LevelRate {
  /** Most requests a second within the level at its confidence; 0 where not even one alone is. */
  readonly requestsPerSecond: number;
  /** The same by the prediction itself. */
  readonly expected: number;
  /** Requests that run then. */
  readonly sequences: number;
  /** Most that may run within the level, should the prediction itself hold: where an engine may stop. */
  readonly mostSequences: number;
  readonly limitedBy: LimitedBy;
  /** Times of a request alone. No load is answered faster. */
  readonly floor: { readonly ttftMs: Edge; readonly tpotMs: Edge };
  /** Times of the level that lie below their floor at its confidence. */
  readonly missed: readonly ("ttftMs" | "tpotMs")[];
}

export interface Edge {
  readonly expected: number;
  /** At the confidence. */
  readonly worse: number;
}

/** The longest time per token that a level allows, milliseconds; undefined where it allows any. */
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
  // Who comes with a long prompt waits for it whatever the load: his time is the level's to keep as well.
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
  // Rates have an error of their own: it counts where the times leave more room than that.
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

/** Tokens of a prompt that have to be read: on average, or of one that only so many percent are longer than (log-normal). */
function promptTokens({ inputTokens, sharedPrefixTokens, lengthVariation }: RequestShape, percentile?: number): number {
  const own = Math.max(1, inputTokens - sharedPrefixTokens);
  if (percentile === undefined) {
    return own;
  }
  const sigma = Math.sqrt(Math.log(1 + lengthVariation ** 2));
  const deviations = percentile > 50 ? normalQuantile(percentile / 100) : 0;
  return Math.max(1, own * Math.exp(deviations * sigma - sigma ** 2 / 2));
}
