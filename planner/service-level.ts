/** Of which a latency may be promised: those that load tests and Prometheus histograms report. */
export const PERCENTILES = [50, 90, 95, 99] as const;

export type Percentile = (typeof PERCENTILES)[number];

/** What clients are to expect of a model. The plan carries it; nothing is sized or promised from it yet. */
export interface ServiceLevel {
  /** Part of the requests that are to be answered without an error of the server, over 30 days: 0.9 to 0.99999. */
  readonly availability?: number;
  /** Longest time to the first token, milliseconds. */
  readonly ttftMs?: number;
  /** Longest time for each further token, on average over an answer, milliseconds. */
  readonly tpotMs?: number;
  /** Percent of the requests that must keep to the times; where there is one. */
  readonly percentile?: Percentile;
}
