/** Of which a latency may be promised: those that load tests and Prometheus histograms report. */
export const PERCENTILES = [50, 90, 95, 99] as const;

export type Percentile = (typeof PERCENTILES)[number];

/** Where a level does not say one: the tail, which users notice. */
export const USUAL_PERCENTILE: Percentile = 99;

/** What clients are to expect of a model. */
export interface ServiceLevel {
  /** Part of the requests that are to be answered without an error of the server, over 30 days: 0.9 to 0.99999. */
  readonly availability?: number;
  /** Longest time to the first token, milliseconds. */
  readonly ttftMs?: number;
  /** Longest time for each further token, on average over an answer, milliseconds. */
  readonly tpotMs?: number;
  /** Fewest tokens that one answer gets in a second, its first not counted. */
  readonly tokensPerSecond?: number;
  /** Percent of the requests that must keep to the times; where there is one. */
  readonly percentile?: Percentile;
  /** How sure the plan must be of the times, 0.5 to 0.99: which edge of a predicted interval decides; where there is a time. */
  readonly confidence?: number;
}

/** What of a level says how fast answers come. */
export const LEVEL_TIMES = ["ttftMs", "tpotMs", "tokensPerSecond"] as const;

/** The level says something of how fast answers come. */
export function hasTimes(level: Pick<ServiceLevel, (typeof LEVEL_TIMES)[number]>): boolean {
  return LEVEL_TIMES.some((time) => level[time] !== undefined);
}
