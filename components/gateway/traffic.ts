import type { IBackendTrafficPolicy } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/BackendTrafficPolicy";
import type { IClientTrafficPolicy } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/ClientTrafficPolicy";
import { CONSUMER_HEADER, GATEWAY_NAME, LISTENERS, MODEL_HEADER } from "./names";

/** Limits of one request through the gateway. */
export interface RequestLimits {
  /** Seconds until a whole response, streamed or not, must be done. */
  readonly requestTimeoutSeconds: number;
  /**
   * Seconds without a byte in either direction after which a request is cut. That covers the wait for the first token,
   * and the whole answer when it is not streamed.
   */
  readonly streamIdleTimeoutSeconds: number;
  /** Largest request body, bytes: a longer one is answered with 413. */
  readonly maxRequestBytes: number;
}

/**
 * An hour: a 32k-token answer at 10 tokens/s. Ten minutes of silence: what OpenAI's own clients wait for an answer.
 * 32 MiB: a prompt with some images in base64.
 */
export const DEFAULT_LIMITS: RequestLimits = {
  requestTimeoutSeconds: 3600,
  streamIdleTimeoutSeconds: 600,
  maxRequestBytes: 32 * 1024 * 1024,
};

/** Only the HTTPS listener: redirects and ACME challenges must pass without a key. */
export const HTTPS_LISTENER = listenerReference(LISTENERS.https);

/** A listener of the Gateway, for routes and policies. */
export function listenerReference(sectionName: string) {
  return { group: "gateway.networking.k8s.io", kind: "Gateway", name: GATEWAY_NAME, sectionName };
}

/** Spec of the policy between clients and proxies, on these HTTPS listeners. */
export function clientTrafficSpec(limits: RequestLimits, listeners: readonly string[]): IClientTrafficPolicy["spec"] {
  return {
    targetRefs: listeners.map(listenerReference),
    tls: { minVersion: "1.2" },
    timeout: {
      http: {
        // Against clients that send slowly to hold connections; the response is not counted.
        requestReceivedTimeout: "120s",
        streamIdleTimeout: seconds(limits.streamIdleTimeoutSeconds),
      },
    },
    // The AI gateway's filter reads the whole body to find the model, and whole non-streamed answers to count
    // tokens: what does not fit is refused. Envoy Gateway's default is 32 KiB.
    connection: { bufferLimit: limits.maxRequestBytes },
    // Load balancers forget idle connections after minutes; a model may think for longer.
    tcpKeepalive: { idleTime: "60s", interval: "15s", probes: 4 },
    // The gateway sets both itself: a client's word does not count.
    headers: { earlyRequestHeaders: { remove: [CONSUMER_HEADER, MODEL_HEADER] } },
  };
}

/** Spec of the policy between proxies and what is behind these HTTPS listeners. */
export function backendTrafficSpec(limits: RequestLimits, listeners: readonly string[]): IBackendTrafficPolicy["spec"] {
  return {
    targetRefs: listeners.map(listenerReference),
    timeout: {
      tcp: { connectTimeout: "5s" },
      http: { requestTimeout: seconds(limits.requestTimeoutSeconds) },
    },
    requestBuffer: { limit: limits.maxRequestBytes },
    // Replicas answer at very different speeds: the length of the answer decides, not the count of requests.
    loadBalancer: { type: "LeastRequest", slowStart: { window: "30s" } },
    // Replicas come and go as addresses behind a headless Service: ask often, whatever the record's TTL.
    dns: { dnsRefreshRate: "5s", respectDnsTtl: false },
    // Only where no token was made: no connection, or the engine's own refusal (queue full, still loading).
    retry: {
      numRetries: 2,
      retryOn: { triggers: ["connect-failure", "retriable-status-codes"], httpStatusCodes: [503] },
      perRetry: { backOff: { baseInterval: "100ms", maxInterval: "2s" } },
    },
    // Per model and proxy. Engines queue on their own and say so in metrics; this stops a flood from filling memory.
    circuitBreaker: {
      maxConnections: 1024,
      maxPendingRequests: 1024,
      maxParallelRequests: 1024,
      maxParallelRetries: 32,
    },
    healthCheck: {
      passive: {
        consecutive5XxErrors: 10,
        consecutiveLocalOriginFailures: 3,
        splitExternalLocalOriginErrors: true,
        interval: "5s",
        baseEjectionTime: "30s",
        maxEjectionPercent: 50,
      },
    },
  };
}

/** A Gateway API duration. */
export function seconds(count: number): string {
  return `${count}s`;
}
