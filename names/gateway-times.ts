import { GATEWAY_NAMESPACE } from "./namespaces";

/** Label of the AI gateway's series: what clients call a model, before the gateway renames anything. */
export const CALLED_MODEL = "gen_ai_original_model";

/** Of a plan: 1 per name that clients call a model by at the gateway, by `model` and that name. */
export const CALLED = "inference:called_model:info";

/** Histograms of streams at the gateway, in seconds (Envoy AI Gateway 1.0, internal/metrics/genai.go). */
export const GATEWAY_TIMES = {
  firstToken: "gen_ai_server_time_to_first_token_seconds",
  token: "gen_ai_server_time_per_output_token_seconds",
} as const;

/**
 * Growth of a histogram's buckets, by `model` and `le`: for models whose engine reports no such time.
 * @param models PromQL selector of the plan's models.
 */
export function gatewayBuckets(time: keyof typeof GATEWAY_TIMES, window: string, models = ""): string {
  const buckets = `rate(${GATEWAY_TIMES[time]}_bucket{namespace="${GATEWAY_NAMESPACE}"}[${window}])`;
  const called = `sum by (${CALLED_MODEL}, le) (${buckets})`;
  return `sum by (model, le) (${called} * on (${CALLED_MODEL}) group_left (model) ${CALLED}${models})`;
}
