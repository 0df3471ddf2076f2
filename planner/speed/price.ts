/** Cost of a million tokens on own machines, and the break-even against APIs. */
import type { ApiPrice } from "../../catalog/api-prices";

/** An average month of price lists: 730 hours. */
const SECONDS_PER_MONTH = 730 * 3600;
const MILLION = 1e6;

/** Average. */
export interface TokensPerRequest {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface PricedModel extends TokensPerRequest {
  /** Running replicas. */
  readonly monthlyUsd: number;
  /** Average while running; 0: unknown. */
  readonly requestsPerSecond: number;
  /** Within the level at the pessimistic edge. */
  readonly capacityPerSecond: number;
}

export interface ApiComparison extends ApiPrice {
  /** For the same mix of input and output. */
  readonly usdPerMillionTokens: number;
  /** Average rate from which own machines are cheaper. */
  readonly breakEvenPerSecond: number;
  /** The planned replicas reach the break-even within the level. */
  readonly isReachable: boolean;
}

export interface TokenPrice {
  /**
   * Input and output weigh the same. Undefined without traffic or answers: an idle machine has no
   * price per token.
   */
  readonly usdPerMillionTokens?: number;
  /** At full load. Undefined where nothing is within the level. */
  readonly atCapacityUsdPerMillionTokens?: number;
  /** Cheapest first. */
  readonly apis: readonly ApiComparison[];
}

export function tokenPrice(model: PricedModel, apis: readonly ApiPrice[]): TokenPrice {
  const { monthlyUsd, requestsPerSecond, capacityPerSecond } = model;
  const perMillion = (rate: number) => (monthlyUsd / (rate * SECONDS_PER_MONTH * tokensOf(model))) * MILLION;
  return {
    ...(requestsPerSecond > 0 && { usdPerMillionTokens: perMillion(requestsPerSecond) }),
    ...(capacityPerSecond > 0 && { atCapacityUsdPerMillionTokens: perMillion(capacityPerSecond) }),
    apis: apis
      .map((api): ApiComparison => {
        const usdPerRequest = requestUsd(model, api);
        const breakEvenPerSecond = monthlyUsd / (usdPerRequest * SECONDS_PER_MONTH);
        return {
          ...api,
          usdPerMillionTokens: (usdPerRequest / tokensOf(model)) * MILLION,
          breakEvenPerSecond,
          isReachable: breakEvenPerSecond <= capacityPerSecond,
        };
      })
      .sort((a, b) => a.usdPerMillionTokens - b.usdPerMillionTokens),
  };
}

function tokensOf({ inputTokens, outputTokens }: TokensPerRequest): number {
  return inputTokens + outputTokens;
}

function requestUsd({ inputTokens, outputTokens }: TokensPerRequest, api: ApiPrice): number {
  return (inputTokens * api.inputUsdPerMillion + outputTokens * api.outputUsdPerMillion) / MILLION;
}
