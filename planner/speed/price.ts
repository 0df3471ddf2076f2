/** What a million tokens cost on machines of one's own, and from how many requests on that is less than an API asks. */
import type { ApiPrice } from "../../catalog/api-prices";

/** An average month, as price lists count: 730 hours. */
const SECONDS_PER_MONTH = 730 * 3600;
const MILLION = 1e6;

/** Tokens of one request, on average. */
export interface TokensPerRequest {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What a model's replicas cost, and what they answer. */
export interface PricedModel extends TokensPerRequest {
  /** Of the replicas that answer. */
  readonly monthlyUsd: number;
  /** Answered on average while they run; 0: nobody says. */
  readonly requestsPerSecond: number;
  /** That these replicas could answer within its level, at the pessimistic edge. */
  readonly capacityPerSecond: number;
}

export interface ApiComparison extends ApiPrice {
  /** For the same mix of input and output. */
  readonly usdPerMillionTokens: number;
  /** Requests a second, on average while they run, from which the model's own machines cost less. */
  readonly breakEvenPerSecond: number;
  /** The planned replicas can answer so many within the level: else no traffic makes them the cheaper ones. */
  readonly isReachable: boolean;
}

export interface TokenPrice {
  /** Input and output counted alike. Undefined where no traffic is declared, or nobody answers it: an idle machine has no price per token. */
  readonly usdPerMillionTokens?: number;
  /** As if the replicas answered all that they can. Undefined where they can answer nothing within the level. */
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
