/**
 * Mapping of engine answers to the node's `/health`. Rationale:
 * docs/decisions/0019-health-by-custom-response.md.
 */

import { duration, extension, JSON_CONTENT, message, methodIs } from "./envoy-extension";
import { CREDENTIALS, ENGINE_HOST, NODE_CLUSTERS } from "./envoy-names";
import { NODE_HEALTH_PATH } from "./ports";

const CUSTOM_RESPONSE = "envoy.filters.http.custom_response";
const LUA = "envoy.filters.http.lua";

export const NODE_HEALTH = {
  /** The engine has its model. */
  ok: { status: 200, body: '{"status":"ok"}' },
  /** The engine answers with an error: loading, draining or broken. */
  degraded: { status: 503, body: '{"status":"degraded"}' },
  /** The engine is unreachable or times out. */
  unhealthy: { status: 503, body: '{"status":"unhealthy"}' },
} as const;

export type NodeHealth = keyof typeof NODE_HEALTH;

/** Header that Envoy adds to upstream answers only. */
const FROM_ENGINE = "x-envoy-upstream-service-time";

/**
 * Normalizes the health request:
 *
 * - waits for the whole request: some engines answer only then, so an endless body would hold a
 *   `/health` slot.
 * - removes body and query.
 * - uses GET, because some engines refuse HEAD. No Envoy rule can set a method.
 */
const OWN_QUESTION = message("extensions.filters.http.lua.v3.LuaPerRoute", {
  source_code: {
    inline_string: [
      "function envoy_on_request(request)",
      "  local body = request:body()",
      '  if body ~= nil then body:setBytes("") end',
      `  request:headers():replace(":path", "${NODE_HEALTH_PATH}")`,
      '  request:headers():replace(":method", "GET")',
      "end",
    ].join("\n"),
  },
});

export interface HealthRouteArgs {
  /** Engine path that reports a loaded model. */
  readonly enginePath: string;
  readonly timeoutSeconds: number;
}

export function healthRoutes({ enginePath, timeoutSeconds }: HealthRouteArgs): object[] {
  return ["GET", "HEAD"].map((method) => ({
    name: "health",
    match: { path: NODE_HEALTH_PATH, headers: [methodIs(method)] },
    route: {
      cluster: NODE_CLUSTERS.health,
      host_rewrite_literal: ENGINE_HOST,
      prefix_rewrite: enginePath,
      timeout: duration(timeoutSeconds),
    },
    request_headers_to_remove: CREDENTIALS,
    typed_per_filter_config: { [CUSTOM_RESPONSE]: ANSWERS, [LUA]: OWN_QUESTION },
  }));
}

/** Filters of the routes above, in order. */
export const HEALTH_FILTERS = [
  extension(LUA, "extensions.filters.http.lua.v3.Lua"),
  extension(CUSTOM_RESPONSE, "extensions.filters.http.custom_response.v3.CustomResponse"),
] as const;

/** Order matters: an engine's success has the header too. */
const ANSWERS = message("extensions.filters.http.custom_response.v3.CustomResponse", {
  custom_response_matcher: {
    matcher_list: {
      matchers: [
        {
          predicate: single(extension("class", "type.matcher.v3.HttpResponseStatusCodeClassMatchInput"), {
            exact: "2xx",
          }),
          on_match: answer("ok"),
        },
        {
          predicate: single(
            extension("from-engine", "type.matcher.v3.HttpResponseHeaderMatchInput", { header_name: FROM_ENGINE }),
            { safe_regex: { google_re2: {}, regex: ".+" } },
          ),
          on_match: answer("degraded"),
        },
      ],
    },
    on_no_match: answer("unhealthy"),
  },
});

function single(input: object, value_match: object) {
  return { single_predicate: { input, value_match } };
}

function answer(health: NodeHealth) {
  const { status, body } = NODE_HEALTH[health];
  return {
    action: extension(health, "extensions.http.custom_response.local_response_policy.v3.LocalResponsePolicy", {
      status_code: status,
      body: { inline_string: body },
      response_headers_to_add: [JSON_CONTENT],
    }),
  };
}
