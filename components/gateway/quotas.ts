import type { IBackendTrafficPolicy } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/BackendTrafficPolicy";
import { GATEWAY_NAMESPACE } from "../../names/namespaces";
import type { Quota, QuotaKind } from "../../planner/quotas";
import { TOKEN_COUNTS } from "./access-log";
import type { RateLimitRule, ResponseOverride } from "./envoy-gateway-types";
import { CONSUMER_HEADER, QUOTA_HEADER } from "./names";
import { answerOf } from "./refusals";

type Spec = NonNullable<IBackendTrafficPolicy["spec"]>;

/**
 * Part of the listener's policy that holds tenants to their quotas, at all proxies and on all routes together. Nothing where no
 * tenant has one: then no rate limit service runs either.
 *
 * The rate limit service counts in fixed windows: the minutes of its clock. A request counts when it arrives, also one that is
 * refused, and one that fails later; tokens count when the answer ends, whether or not the client asked for their number
 * (the AI gateway's filter asks the engine for it). So what begins below the token quota is finished, and the excess is not
 * carried over into the next minute.
 */
export function quotaSpec(quotas: readonly Quota[]): Pick<Spec, "rateLimit" | "responseOverride"> {
  return quotas.length === 0
    ? {}
    : { rateLimit: { global: { rules: quotas.map(rule) } }, responseOverride: [usedUp("tokens"), usedUp("requests")] };
}

function rule({ tenant, kind, perMinute }: Quota): RateLimitRule {
  return {
    clientSelectors: [{ headers: [{ type: "Exact", name: CONSUMER_HEADER, value: tenant, invert: false }] }],
    limit: { requests: perMinute, unit: "Minute" },
    // One bucket for all routes: without it, each model would have the whole quota.
    shared: true,
    ...RULE_OF[kind],
  };
}

/**
 * Envoy says in `x-ratelimit-*` what is left of the rule that has least left. Said of tokens alone, "0 left" on a refusal
 * shows which quota refused: nothing else in a 429 of Envoy's does.
 */
const RULE_OF: Readonly<Record<QuotaKind, Pick<RateLimitRule, "cost" | "xRateLimitHeaders">>> = {
  requests: { xRateLimitHeaders: "Off" },
  tokens: {
    xRateLimitHeaders: "DraftVersion03",
    cost: {
      // Asks whether anything is left, and takes nothing: the number of tokens is not known yet.
      request: { from: "Number", number: 0 },
      response: { from: "Metadata", metadata: { namespace: TOKEN_COUNTS.namespace, key: TOKEN_COUNTS.total } },
    },
  },
};

/**
 * Seconds until the next window. It is the minute of the clock, so the request's own second decides; Envoy sends no `Retry-After`
 * by itself, and the header that it does send (`x-ratelimit-reset`) is gone from an answer that is overridden.
 */
const SECONDS_LEFT = "%CEL(60 - request.time.getSeconds())%";

/** Answers in the shape of OpenAI's errors, whose clients wait for as long as `Retry-After` says. An engine's own 429 passes as it is. */
function usedUp(kind: QuotaKind): ResponseOverride {
  return {
    source: "Local",
    match: {
      statusCodes: [{ type: "Value", value: 429 }],
      // The first override that matches answers: what is left, is the quota of requests.
      ...(kind === "tokens" && {
        responseHeaders: [{ name: "x-ratelimit-remaining", value: { type: "Exact", value: "0" } }],
      }),
    },
    response: {
      ...answerOf({
        status: 429,
        message: `The ${kind} that this client may use per minute are used up. Try again in ${SECONDS_LEFT} seconds.`,
        // As OpenAI's own service names them.
        type: kind,
        code: "rate_limit_exceeded",
      }),
      header: {
        set: [
          { name: "retry-after", value: SECONDS_LEFT },
          { name: QUOTA_HEADER, value: kind },
        ],
      },
    },
  };
}

/** A quota, and how the rate limit service's metrics name its rule. */
export interface QuotaRule extends Pick<Quota, "tenant" | "kind"> {
  /** A regular expression, for the whole value of the label `key1`. */
  readonly rule: string;
}

/**
 * Envoy Gateway names rules after their policy and place (1.9, `irRuleName`); the metric has name and value of the descriptor.
 * A route with a policy of its own in place of the listener's counts apart (gRPC streams, `grpc-routes.ts`).
 */
export function quotaRule({ tenant, kind }: Quota, place: number): QuotaRule {
  return { tenant, kind, rule: `${GATEWAY_NAMESPACE}/.*/rule/${place}` };
}
