/**
 * Tokens by consumer, and times of streams (Envoy AI Gateway 1.0, internal/metrics/genai.go).
 * Models behind KServe's API bypass the filter.
 */
import type { Histogram } from "../../../engines/metrics";
import { CALLED_MODEL, GATEWAY_TIMES } from "../../../names/gateway-times";
import { GATEWAY_NAMESPACE } from "../../../names/namespaces";
import type { ExternalModelPlan } from "../../../planner/types";
import { type ModelEndpoint, namesOf, speaksOpenAi } from "../../serving/endpoint";
import type { LEVEL } from "./level-series";

export const GATEWAY_TOKENS = "gen_ai_client_token_usage_token_sum";
/** `metricsRequestHeaderAttributes` of the AI gateway's values. */
export const CONSUMER = "consumer";

/** Streams, with the way to the engine, for engines that report none. */
export const GATEWAY_HISTOGRAMS: Readonly<Record<keyof typeof LEVEL, Histogram>> = {
  firstToken: {
    series: GATEWAY_TIMES.firstToken,
    bounds: [
      ...[0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75],
      ...[1, 2.5, 5, 7.5, 10, 15, 20, 30, 45, 60],
    ],
  },
  token: {
    series: GATEWAY_TIMES.token,
    bounds: [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5],
  },
};

export interface CalledModel {
  readonly model: string;
  readonly names: readonly string[];
}

/** Models whose tokens the gateway counts. Revisions count as their model. */
export function calledModels(
  endpoints: readonly ModelEndpoint[],
  external: readonly Pick<ExternalModelPlan, "name" | "servedName">[],
): CalledModel[] {
  return [
    ...endpoints
      .filter((endpoint) => speaksOpenAi(endpoint) && endpoint.revisionOf === undefined)
      .map((endpoint) => ({ model: endpoint.model, names: namesOf(endpoint) })),
    ...external.map(({ name, servedName }) => ({ model: name, names: [servedName] })),
  ];
}

export function calledBy(names: readonly string[]): string {
  const pattern = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\\\$&")).join("|");
  return `namespace="${GATEWAY_NAMESPACE}",${CALLED_MODEL}=~"${pattern}"`;
}
