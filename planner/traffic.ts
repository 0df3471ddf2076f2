/** Declared traffic of a model, for all replicas together. */
export interface Traffic {
  /** Average while busy. */
  readonly requestsPerSecond: number;
  /** Peak over average, at least 1. */
  readonly peakFactor: number;
  /** Average. */
  readonly inputTokens: number;
  /** Average. */
  readonly outputTokens: number;
  /** Common beginning of all prompts: a system prompt. */
  readonly sharedPrefixTokens: number;
  /** Standard deviation of lengths over their mean: 0 all alike, 1 as people chat. */
  readonly lengthVariation: number;
}

/** Requests a second to provision for. */
export function peakRate({ requestsPerSecond, peakFactor }: Pick<Traffic, "requestsPerSecond" | "peakFactor">): number {
  return requestsPerSecond * peakFactor;
}

/** Settings derived from traffic where the environment has none. */
export const DERIVED_SETTINGS = ["concurrency", "replicas"] as const;
export type DerivedSetting = (typeof DERIVED_SETTINGS)[number];
