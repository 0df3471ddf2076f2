/** Latency percentiles that load tests and Prometheus histograms report. */
export const PERCENTILES = [50, 90, 95, 99] as const;

export type Percentile = (typeof PERCENTILES)[number];

/** Default: the tail, which users notice. */
export const USUAL_PERCENTILE: Percentile = 99;

export interface ServiceLevel {
  /** Fraction of requests without server errors over 30 days: 0.9 to 0.99999. */
  readonly availability?: number;
  /** Longest, milliseconds. */
  readonly ttftMs?: number;
  /** Longest average per further token of an answer, milliseconds. */
  readonly tpotMs?: number;
  /** Least rate of one answer, without its first token. */
  readonly tokensPerSecond?: number;
  /** Percent of requests that must keep the times; only with times. */
  readonly percentile?: Percentile;
  /** Required confidence, 0.5 to 0.99: which edge of an interval decides; only with times. */
  readonly confidence?: number;
}

/** Fields about speed. */
export const LEVEL_TIMES = ["ttftMs", "tpotMs", "tokensPerSecond"] as const;

export function hasTimes(level: Pick<ServiceLevel, (typeof LEVEL_TIMES)[number]>): boolean {
  return LEVEL_TIMES.some((time) => level[time] !== undefined);
}
