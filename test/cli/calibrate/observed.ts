/** Intervals of a simulated replica for tests: requests of one length, so many at once. */
import { histogramOf } from "../../../cli/calibrate/histogram";
import type { Interval } from "../../../cli/calibrate/loads";

export const BOUNDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, Number.POSITIVE_INFINITY];

/** All values the same. */
export function alike(count: number, value: number) {
  const cumulative = new Map(BOUNDS.map((bound) => [bound, value <= bound ? count : 0]));
  return histogramOf(cumulative, count * value);
}

interface Served {
  readonly requests: number;
  readonly firstToken: number;
  readonly token: number;
  readonly outputTokens: number;
  readonly replicas?: number;
}

export function interval({ requests, firstToken, token, outputTokens, replicas = 1 }: Served): Interval {
  return {
    seconds: 300,
    replicas,
    firstToken: alike(requests, firstToken),
    token: alike(requests, token),
    request: alike(requests, firstToken + (outputTokens - 1) * token),
    promptTokens: 1000 * requests,
    generatedTokens: outputTokens * requests,
    failed: 0,
    kvCache: { mean: 0.25, max: 0.5 },
  };
}
