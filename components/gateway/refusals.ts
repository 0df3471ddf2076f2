/** What clients receive when the gateway itself refuses a request: OpenAI's error object, which its clients know how to read. */
import type { IHTTPRouteFilter } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/HTTPRouteFilter";
import { BYTES_PER_MIB } from "../../names/units";
import type { GatewayLimits } from "../../planner/gateway-limits";
import type { QuotaKind } from "../../planner/quotas";
import type { ResponseOverride } from "./envoy-gateway-types";

export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly type: "invalid_request_error" | "server_error" | QuotaKind;
  /** The field of the request that is wrong. @default none */
  readonly param?: string;
  readonly code: string;
  /** Seconds after which to try again. @default none */
  readonly retryAfterSeconds?: number;
}

const UNAUTHENTICATED: Refusal = {
  status: 401,
  message: "No valid API key or token: send one as Authorization: Bearer, or a key as x-api-key.",
  type: "invalid_request_error",
  code: "invalid_api_key",
};

const FORBIDDEN: Refusal = {
  status: 403,
  message: "The consumer of this key or token may not use this model.",
  type: "invalid_request_error",
  code: "model_not_allowed",
};

const MODEL_NOT_FOUND: Refusal = {
  status: 404,
  message:
    "No such model here: GET /v1/models lists all. A path that begins with a model's name takes that model alone.",
  type: "invalid_request_error",
  param: "model",
  code: "model_not_found",
};

/**
 * Too many requests for the model, none of its replicas reached (it sleeps, and wakes by this request: decision 0028), or a free consumer
 * while the engine refuses. Said to all alike: Envoy chooses what it says of its own by the route that a request has first, before
 * anybody knows its model. OpenAI's clients wait as long as Retry-After says only up to a minute, and ask twice more by default.
 */
const BUSY: Refusal = {
  status: 503,
  message: "This model takes no more requests now, or is still waking up. Try again later.",
  type: "server_error",
  code: "overloaded",
  retryAfterSeconds: 10,
};

/** What the AI gateway's filter and its last route say in plain words; refusals for a model name it in an object of their own. */
const PATH_NOT_FOUND: Refusal = {
  status: 404,
  message: "Nothing answers at this path, or the body names no model: GET /v1/models lists all.",
  type: "invalid_request_error",
  code: "unknown_url",
};

const TOO_SLOW: Refusal = {
  status: 408,
  message: "The request did not arrive in time.",
  type: "invalid_request_error",
  code: "request_timeout",
};

const tooLarge = (bytes: number): Refusal => ({
  status: 413,
  message: `The body of a request may weigh ${bytes / BYTES_PER_MIB} MiB here.`,
  type: "invalid_request_error",
  code: "request_too_large",
});

const NO_ANSWER: Refusal = {
  status: 504,
  message: "The model did not answer in time.",
  type: "server_error",
  code: "timeout",
};

/** The body of a refusal. */
export function refusalBody({ message, type, param, code }: Refusal): string {
  return JSON.stringify({ error: { message, type, param: param ?? null, code } });
}

/** An answer with that body, as Envoy Gateway's configuration states it. */
export function answerOf(refusal: Refusal) {
  return { contentType: "application/json", body: { type: "Inline" as const, inline: refusalBody(refusal) } };
}

function headersOf({ retryAfterSeconds }: Refusal) {
  return retryAfterSeconds === undefined
    ? {}
    : { header: { set: [{ name: "retry-after", value: String(retryAfterSeconds) }] } };
}

const IN_PLAIN_WORDS = [{ name: "content-type", value: { type: "Prefix" as const, value: "text/plain" } }];

/**
 * Puts the body of a refusal in place of Envoy's own words; what engines answer with the same status passes unchanged.
 *
 * @param responseHeaders of the answers that are meant. @default all of Envoy's own with that status
 */
export function inOpenAiShape(
  refusal: Refusal,
  responseHeaders?: ResponseOverride["match"]["responseHeaders"],
): ResponseOverride {
  return {
    match: {
      statusCodes: [{ type: "Value", value: refusal.status }],
      ...(responseHeaders && { responseHeaders }),
    },
    response: { ...answerOf(refusal), ...headersOf(refusal) },
    source: "Local",
  };
}

/**
 * A token for another audience is 403 to Envoy's filter, unlike all else that is wrong with one (1.40, jwt_authn/filter.cc). It asks for
 * credentials then, which a refusal of who is known does not.
 */
const WRONG_AUDIENCE: ResponseOverride = {
  match: {
    statusCodes: [{ type: "Value", value: 403 }],
    responseHeaders: [{ name: "www-authenticate", value: { type: "RegularExpression", value: ".+" } }],
  },
  response: { statusCode: UNAUTHENTICATED.status, ...answerOf(UNAUTHENTICATED) },
  source: "Local",
};

/**
 * Refusals of the models' listener. Not among them: what Envoy refuses before it has read a request's head (400, 431), for which it has chosen no
 * route; and what the AI gateway's filter says of a body that it cannot read (400, 422), which is an error object already.
 */
export function listenerRefusals({ maxRequestBytes }: Pick<GatewayLimits, "maxRequestBytes">): ResponseOverride[] {
  const others = [FORBIDDEN, TOO_SLOW, tooLarge(maxRequestBytes), BUSY, NO_ANSWER];
  return [
    inOpenAiShape(UNAUTHENTICATED),
    WRONG_AUDIENCE,
    ...others.map((refusal) => inOpenAiShape(refusal)),
    inOpenAiShape(PATH_NOT_FOUND, IN_PLAIN_WORDS),
  ];
}

/** The resource behind `modelNotFound`, without namespace and labels. */
export const modelNotFoundFilter = {
  apiVersion: "gateway.envoyproxy.io/v1alpha1",
  kind: "HTTPRouteFilter",
  name: "model-not-found",
  spec: { directResponse: { statusCode: MODEL_NOT_FOUND.status, ...answerOf(MODEL_NOT_FOUND) } },
} as const satisfies Pick<IHTTPRouteFilter, "apiVersion" | "kind" | "spec"> & { readonly name: string };

/** The filter of a route that answers that there is no such model. */
export const modelNotFound = {
  type: "ExtensionRef",
  extensionRef: { group: "gateway.envoyproxy.io", kind: "HTTPRouteFilter", name: modelNotFoundFilter.name },
} as const;
