/**
 * Rate limit of a mesh proxy for a model as Envoy filters: excess requests get 429 with OpenAI's
 * error object. Counts authorized requests; each sidecar or waypoint pod separately.
 *
 * istiod 1.30.3 has no other API. It patches waypoints in the context SIDECAR_INBOUND
 * (listener_builder.go patchListeners) if the EnvoyFilter targets the Gateway; the context WAYPOINT
 * is unused so far.
 */
import type { IEnvoyFilter } from "@kubernetes-models/istio/networking.istio.io/v1alpha3/EnvoyFilter";
import type { Labels } from "../../names/labels";
import { type Guard, guard } from "./guard";
import { WAYPOINT_TARGET } from "./waypoint";

type Patch = NonNullable<NonNullable<IEnvoyFilter["spec"]>["configPatches"]>[number];
type Listener = NonNullable<NonNullable<Patch["match"]>["listener"]>;

const CONNECTION_MANAGER = "envoy.filters.network.http_connection_manager";
const TYPE = "type.googleapis.com/envoy";

/** Waypoint listener for requests after the tunnel (listener_waypoint.go). */
const WAYPOINT_LISTENER = "main_internal";

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
 * Replaces Envoy's error text. Mappers see only Envoy's answers, so an engine's 429 passes
 * unchanged. They cannot match the filter's flag, set after answering (Envoy 1.40,
 * local_ratelimit.cc).
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

export function sidecarLimit(name: string, labels: Labels, ports: readonly number[], requestsPerSecond: number): Guard {
  return limit(
    name,
    { workloadSelector: { labels: { ...labels } } },
    ports.map((portNumber) => ({ portNumber })),
    requestsPerSecond,
  );
}

/** Limit per waypoint pod of a namespace, over all its models and ports. */
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
