/**
 * Free consumers are shed first. Where an environment has any, each model has a second route that is theirs alone: one header
 * more than the route of all others, so it wins for them, and Envoy keeps a cluster of its own for it, with limits of its own and
 * its own count of what the engine refused. What paying consumers may do is the same with and without it.
 *
 * Which models a consumer may call is decided by the models' label, which these routes bear too.
 */
import type { FreeRequests } from "../../planner/shedding";
import type { ModelMatches } from "./ai-gateway-types";
import type { BackendPart } from "./backend-policies";
import { patternsOf } from "./header-patterns";
import { CONSUMER_HEADER } from "./names";

export interface FreeCallers {
  /** Names of the free consumers, at least one. */
  readonly consumers: readonly string[];
  readonly requests: FreeRequests;
  /** Proxies that share them. */
  readonly proxies: number;
}

/** The same matches, for free consumers alone. */
export function freeMatches(matches: ModelMatches, { consumers }: Pick<FreeCallers, "consumers">) {
  const patterns = patternsOf(consumers);
  return matches.flatMap(({ headers }) =>
    patterns.map((value) => ({
      headers: [...headers, { type: "RegularExpression" as const, name: CONSUMER_HEADER, value }],
    })),
  );
}

/**
 * Seconds over which Envoy looks at what became of free requests, and after which it tries again: 30 s, its default, would
 * keep free consumers out for long after an engine has room.
 */
const WINDOW_SECONDS = 10;

/**
 * Envoy's default of 80 would send one free request in five to an engine that refuses all; some must go, or none finds out
 * when it has room again.
 */
const MOST_REFUSED_PERCENT = 95;

export function freePart(model: string, { requests, proxies }: FreeCallers): BackendPart {
  const { byModel, elsewhere } = requests;
  const mine = Math.max(1, Math.floor((byModel[model] ?? elsewhere) / proxies));
  return {
    circuitBreaker: {
      maxConnections: 1024,
      maxParallelRequests: mine,
      // For a connection. Connections to engines come at once, so requests do not wait here either.
      maxPendingRequests: mine,
      maxParallelRetries: 1,
    },
    // A retry would take another place of an engine that has none.
    retry: { numRetries: 0 },
    // While the engine itself refuses (503 and any other 5xx): the more, the fewer are let through to it.
    admissionControl: {
      samplingWindow: `${WINDOW_SECONDS}s`,
      minSuccessRate: 95,
      maxRejectionPercent: MOST_REFUSED_PERCENT,
    },
  };
}
