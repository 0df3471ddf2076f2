/** What clients ask of a model, as its environment declares it. All replicas together answer it. */
export interface Traffic {
  /** Requests a second on average while it is busy. */
  readonly requestsPerSecond: number;
  /** How many times that at the peak, at least 1. */
  readonly peakFactor: number;
  /** Tokens of a prompt, on average. */
  readonly inputTokens: number;
  /** Tokens of an answer, on average. */
  readonly outputTokens: number;
  /** Of the prompt's, those at its beginning that all requests share: a system prompt. */
  readonly sharedPrefixTokens: number;
  /** Standard deviation of the lengths as part of their mean: 0 all alike, 1 as people chat. */
  readonly lengthVariation: number;
}

/** Requests a second that replicas must be there for. */
export function peakRate({ requestsPerSecond, peakFactor }: Pick<Traffic, "requestsPerSecond" | "peakFactor">): number {
  return requestsPerSecond * peakFactor;
}

/** Settings of a model that follow from its traffic where the environment does not say them. */
export const DERIVED_SETTINGS = ["concurrency", "replicas"] as const;
export type DerivedSetting = (typeof DERIVED_SETTINGS)[number];
