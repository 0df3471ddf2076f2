import { CONSUMER_HEADER, GATEWAY_NAME, TENANT_HEADER, TOKEN_CONSUMER_HEADER } from "../../names/gateway";
import { selectorLabels } from "../../names/labels";
import { ENVOY_GATEWAY_NAMESPACE, GATEWAY_NAMESPACE } from "../../names/namespaces";
import type { PodSelection } from "../core/connections";

export { CONSUMER_HEADER, GATEWAY_NAME, TENANT_HEADER, TOKEN_CONSUMER_HEADER };

/** Names of the Gateway's listeners: `https` for clients, `http` for redirects and ACME challenges. */
export const LISTENERS = { https: "https", http: "http" } as const;

/** Header in which the AI gateway's filter puts the request body's `model`; routes match on it. */
export const MODEL_HEADER = "x-ai-eg-model";
/** Header that the AI gateway's filter takes for an endpoint picker's choice of a server (release 1.0); no model here has one. */
export const PICKED_ENDPOINT_HEADER = "x-gateway-destination-endpoint";
/** Header in which a 429 of the gateway's names the quota that is used up: `requests` or `tokens`. */
export const QUOTA_HEADER = "x-quota";
/** Header in which a script of the gateway puts the model that the path begins with (scripts/model-path.lua); routes match on both. */
export const PATH_MODEL_HEADER = "x-path-model";

/**
 * The Envoy proxies: the only clients of model servers. Envoy Gateway 1.9 puts these labels on them, and has them run as an account
 * of the Gateway's name, where it runs proxies in the Gateway's own namespace (`internal/infrastructure/kubernetes/proxy/resource_provider.go`).
 */
export const gatewayProxies: PodSelection & { readonly serviceAccount: string } = {
  namespace: GATEWAY_NAMESPACE,
  podLabels: {
    "gateway.envoyproxy.io/owning-gateway-name": GATEWAY_NAME,
    "gateway.envoyproxy.io/owning-gateway-namespace": GATEWAY_NAMESPACE,
  },
  serviceAccount: GATEWAY_NAME,
};

/**
 * The rate limit service, which Envoy Gateway runs next to itself while it has a store for counters: labels, Deployment and
 * ports as in `internal/infrastructure/kubernetes/ratelimit/resource.go` of 1.9.0.
 */
export const RATE_LIMITER = { deployment: "envoy-ratelimit", port: 8081, metricsPort: 19001 } as const;

export const rateLimiterPods: PodSelection = {
  namespace: ENVOY_GATEWAY_NAMESPACE,
  podLabels: {
    "app.kubernetes.io/name": RATE_LIMITER.deployment,
    "app.kubernetes.io/component": "ratelimit",
    "app.kubernetes.io/managed-by": "envoy-gateway",
  },
  serviceAccount: RATE_LIMITER.deployment,
};

/** Where the rate limit service counts: controller, Service and Secret. */
export const RATE_LIMIT_STORE = "rate-limit-store";

export const rateLimitStorePods: PodSelection = {
  namespace: ENVOY_GATEWAY_NAMESPACE,
  podLabels: selectorLabels(RATE_LIMIT_STORE, RATE_LIMIT_STORE),
};

/** Ports of a proxy pod. Envoy Gateway moves privileged listener ports up by 10000, so that Envoy needs no capability. */
export const PROXY_PORTS = {
  https: 10443,
  http: 10080,
  /** `/stats/prometheus` of Envoy. */
  envoyMetrics: 19001,
  /** `/metrics` of the AI gateway's filter: tokens, time to first token (`gen_ai_*`). */
  tokenMetrics: 1064,
} as const;

/**
 * What Prometheus scrapes from each proxy pod. The filter labels failed requests with the model that the client named, which may be
 * any text (`internal/metrics/metrics_impl.go` of 1.0): these series are dropped, and Envoy's own count the failures.
 */
export const PROXY_METRICS = [
  { name: "envoy", port: PROXY_PORTS.envoyMetrics, path: "/stats/prometheus" },
  { name: "tokens", port: PROXY_PORTS.tokenMetrics, path: "/metrics", droppedWith: "error_type" },
] as const;
