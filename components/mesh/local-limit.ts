/**
 * What one proxy of the mesh lets through to a model, as filters of Envoy: more is answered 429, with OpenAI's error object. It counts
 * requests that it would hand on, after tokens and authorizations. Sidecars count for their pod, a waypoint's pods each for themselves.
 *
 * istiod 1.30.3 has no other way to say it. It patches waypoints in the context SIDECAR_INBOUND (listener_builder.go patchListeners),
 * where the EnvoyFilter names the Gateway; its API has a context WAYPOINT that nothing reads yet. Pure.
 */
import type { IEnvoyFilter } from "@kubernetes-models/istio/networking.istio.io/v1alpha3/EnvoyFilter";
import type { Labels } from "../../names/labels";
import { type Guard, guard } from "./guard";
import { WAYPOINT_TARGET } from "./waypoint";

type Patch = NonNullable<NonNullable<IEnvoyFilter["spec"]>["configPatches"]>[number];
type Listener = NonNullable<NonNullable<Patch["match"]>["listener"]>;

const CONNECTION_MANAGER = "envoy.filters.network.http_connection_manager";
const TYPE = "type.googleapis.com/envoy";

/** The listener of a waypoint on which requests are seen, once they are out of their tunnel (listener_waypoint.go). */
const WAYPOINT_LISTENER = "main_internal";

/** The filter of requests that counts. */
export function countingFilter(requestsPerSecond: number) {
  const always = { default_value: { numerator: 100, denominator: "HUNDRED" } };
  return {
    name: "envoy.filters.http.local_ratelimit",
    typed_config: {
      "@type": `${TYPE}.extensions.filters.http.local_ratelimit.v3.LocalRateLimit`,
      stat_prefix: "http_local_rate_limiter",
      token_bucket: { max_tokens: requestsPerSecond, tokens_per_fill: requestsPerSecond, fill_interval: "1s" },
      filter_enabled: { ...always, runtime_key: "local_rate_limit_enabled" },
      filter_enforced: { ...always, runtime_key: "local_rate_limit_enforced" },
    },
  };
}

/**
 * What the proxy says in place of Envoy's own words. Mappers see Envoy's own answers alone, so that an engine's 429 stays as it is; the
 * filter flags a request as limited only after it has answered (Envoy 1.40, local_ratelimit.cc), so no mapper could ask for that.
 */
export function refusalInOpenAiShape() {
  return {
    mappers: [
      {
        filter: {
          status_code_filter: {
            comparison: { op: "EQ", value: { default_value: 429, runtime_key: "local_rate_limit_status" } },
          },
        },
        headers_to_add: [{ header: { key: "retry-after", value: "1" }, append_action: "OVERWRITE_IF_EXISTS_OR_ADD" }],
        body_format_override: {
          json_format: {
            error: {
              message: "This model's proxy takes no more requests in this second. Try again later.",
              type: "requests",
              param: null,
              code: "rate_limit_exceeded",
            },
          },
          content_type: "application/json",
        },
      },
    ],
  };
}

/** The limit at sidecars of pods, at their ports of requests. */
export function sidecarLimit(name: string, labels: Labels, ports: readonly number[], requestsPerSecond: number): Guard {
  return limit(
    name,
    { workloadSelector: { labels: { ...labels } } },
    ports.map((portNumber) => ({ portNumber })),
    requestsPerSecond,
  );
}

/** The limit at each pod of a namespace's waypoint, over all models and ports behind it. */
export function waypointLimit(requestsPerSecond: number): Guard {
  return limit("limit", { targetRefs: [{ ...WAYPOINT_TARGET }] }, [{ name: WAYPOINT_LISTENER }], requestsPerSecond);
}

function limit(
  name: string,
  at: Pick<NonNullable<IEnvoyFilter["spec"]>, "workloadSelector" | "targetRefs">,
  listeners: readonly Listener[],
  requestsPerSecond: number,
): Guard {
  return guard<IEnvoyFilter>({
    apiVersion: "networking.istio.io/v1alpha3",
    kind: "EnvoyFilter",
    name,
    spec: {
      ...at,
      configPatches: listeners.flatMap((listener): Patch[] => [
        {
          applyTo: "HTTP_FILTER",
          match: {
            context: "SIDECAR_INBOUND",
            listener: {
              ...listener,
              filterChain: { filter: { name: CONNECTION_MANAGER, subFilter: { name: "envoy.filters.http.router" } } },
            },
          },
          patch: { operation: "INSERT_BEFORE", value: countingFilter(requestsPerSecond) },
        },
        {
          applyTo: "NETWORK_FILTER",
          match: {
            context: "SIDECAR_INBOUND",
            listener: { ...listener, filterChain: { filter: { name: CONNECTION_MANAGER } } },
          },
          patch: {
            operation: "MERGE",
            value: {
              typed_config: {
                "@type": `${TYPE}.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager`,
                local_reply_config: refusalInOpenAiShape(),
              },
            },
          },
        },
      ]),
    },
  });
}
