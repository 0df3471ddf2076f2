import { GATEWAY_NAMESPACE } from "../../names/namespaces";
import type { PodSelection } from "../core/connections";

/** Name of the Gateway; Envoy Gateway gives it to the proxies' Deployment and Service too. */
export const GATEWAY_NAME = "inference";

/** Names of the Gateway's listeners: `https` for clients, `http` for redirects and ACME challenges. */
export const LISTENERS = { https: "https", http: "http" } as const;

/** Header in which the gateway names the caller: set after its API key was checked, removed when a client sends it. */
export const CONSUMER_HEADER = "x-consumer-id";
/** Header in which the AI gateway's filter puts the request body's `model`; routes match on it. */
export const MODEL_HEADER = "x-ai-eg-model";

/** The Envoy proxies: the only clients of model servers. Envoy Gateway 1.9 puts these labels on them. */
export const gatewayProxies: PodSelection = {
  namespace: GATEWAY_NAMESPACE,
  podLabels: {
    "gateway.envoyproxy.io/owning-gateway-name": GATEWAY_NAME,
    "gateway.envoyproxy.io/owning-gateway-namespace": GATEWAY_NAMESPACE,
  },
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

/** What Prometheus scrapes from each proxy pod. */
export const PROXY_METRICS = [
  { name: "envoy", port: PROXY_PORTS.envoyMetrics, path: "/stats/prometheus" },
  { name: "tokens", port: PROXY_PORTS.tokenMetrics, path: "/metrics" },
] as const;
