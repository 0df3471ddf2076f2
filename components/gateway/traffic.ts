import type { IBackendTrafficPolicy } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/BackendTrafficPolicy";
import type { IClientTrafficPolicy } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/ClientTrafficPolicy";
import { type GatewayLimits, RECEIVING } from "../../planner/gateway-limits";
import type { Quota } from "../../planner/quotas";
import type { RequestTimes } from "../../planner/request-times";
import type { ClientTimeout } from "./envoy-gateway-types";
import {
  CONSUMER_HEADER,
  GATEWAY_NAME,
  LISTENERS,
  MODEL_HEADER,
  PATH_MODEL_HEADER,
  PICKED_ENDPOINT_HEADER,
  TENANT_HEADER,
  TOKEN_CONSUMER_HEADER,
} from "./names";
import { quotaSpec } from "./quotas";
import { listenerRefusals } from "./refusals";

/** Limits of one request to a model through the gateway. */
export interface RequestLimits
  extends Pick<RequestTimes, "requestTimeoutSeconds" | "streamIdleTimeoutSeconds">,
    Pick<GatewayLimits, "maxRequestBytes" | "parallelRequests"> {}

/** Connections of one proxy: idle ones with TLS take some 100 KiB each. */
const MODEL_CONNECTIONS = 4096;

/** The models' listener, the only one that API keys guard: redirects and ACME challenges must pass without a key. */
export const HTTPS_LISTENER = listenerReference(LISTENERS.https);

/** A listener of the Gateway, for routes and policies. */
export function listenerReference(sectionName: string) {
  return { group: "gateway.networking.k8s.io", kind: "Gateway", name: GATEWAY_NAME, sectionName };
}

/** How a route matches every path. Written out, because the API server would write it: a list of matches has one owner as a whole. */
export const ANY_PATH = { type: "PathPrefix", value: "/" } as const;

/** Spec of the policy between clients and proxies, on the models' listener. */
export function clientTrafficSpec(limits: RequestLimits): IClientTrafficPolicy["spec"] {
  return {
    targetRefs: [HTTPS_LISTENER],
    tls: { minVersion: "1.2" },
    timeout: clientTimeout({
      requestReceivedTimeout: seconds(receiveSeconds(limits.maxRequestBytes)),
      idleTimeout: "300s",
      streamIdleTimeout: seconds(limits.streamIdleTimeoutSeconds),
    }),
    connection: {
      connectionLimit: { value: MODEL_CONNECTIONS },
      // The AI gateway's filter reads the whole body to find the model, and whole non-streamed answers to count
      // tokens: what does not fit is refused. Envoy Gateway's default is 32 KiB. Envoy has one such limit per port: that
      // of the Gateway's first listener.
      bufferLimit: limits.maxRequestBytes,
    },
    tcpKeepalive: KEEPALIVE,
    headers: OWN_HEADERS,
    path: ONE_SPELLING,
  };
}

/**
 * Spec of the policy between clients and proxies, on services' listeners, which ask for no key.
 *
 * @param receiveSeconds until a request must have arrived
 */
export function serviceClientTrafficSpec(
  listeners: readonly string[],
  receiveSeconds?: number,
): IClientTrafficPolicy["spec"] {
  return {
    targetRefs: listeners.map(listenerReference),
    tls: { minVersion: "1.2" },
    ...forAnybody(SERVICE_CONNECTIONS, receiveSeconds),
  };
}

/** Spec of the policy between clients and proxies, on the listener of redirects and challenges. */
export function plainClientTrafficSpec(): IClientTrafficPolicy["spec"] {
  return { targetRefs: [listenerReference(LISTENERS.http)], ...forAnybody(PLAIN_CONNECTIONS) };
}

/** Seconds until a request of who has no key must have arrived. */
const OPEN_RECEIVE_SECONDS = 15;

/** What may be held by who has no key: little, and not for long. */
function forAnybody(connections: number, receiveSeconds = OPEN_RECEIVE_SECONDS) {
  return {
    timeout: clientTimeout({
      requestReceivedTimeout: seconds(receiveSeconds),
      idleTimeout: "60s",
      streamIdleTimeout: seconds(OPEN_REQUEST_SECONDS + 10),
    }),
    connection: { connectionLimit: { value: connections } },
    http2: { maxConcurrentStreams: 16, initialStreamWindowSize: "64Ki", initialConnectionWindowSize: "64Ki" },
    tcpKeepalive: KEEPALIVE,
    headers: OWN_HEADERS,
  };
}

/** Seconds until an answer of a service must be done: what takes longer is a task that one asks about. */
export const OPEN_REQUEST_SECONDS = 60;

/**
 * Connections of one proxy to services; past it the newest are closed, of services only. Without a request buffer Envoy
 * still reads ahead of a service that is slow, up to the buffer limit of the port, which is the models': 2 to 4 MiB
 * per connection of a client that sends as fast as it can (test/e2e/gateway-memory.test.ts).
 */
const SERVICE_CONNECTIONS = 64;

/** The same for redirects and challenges, whose port has Envoy Gateway's buffer limit of 32 KiB. */
const PLAIN_CONNECTIONS = 256;

/** What only passes connections on (network load balancers, routers) forgets idle ones after minutes; a model may think for longer. */
const KEEPALIVE = { idleTime: "60s", interval: "15s", probes: 4 };

/**
 * The gateway sets these itself: a client's word does not count, however often it is said. Names with underscores, which some servers
 * read as hyphens, are refused; that is Envoy Gateway's default where headers are set (1.9, clienttrafficpolicy.go), written out.
 */
const OWN_HEADERS = {
  earlyRequestHeaders: {
    remove: [
      CONSUMER_HEADER,
      MODEL_HEADER,
      PATH_MODEL_HEADER,
      PICKED_ENDPOINT_HEADER,
      TENANT_HEADER,
      TOKEN_CONSUMER_HEADER,
    ],
  },
  withUnderscoresAction: "RejectRequest" as const,
  // Envoy says its id in answers only where a client forces a trace; with it, users name the request that they ask about.
  lateResponseHeaders: { set: [{ name: "x-request-id", value: "%REQ(X-REQUEST-ID)%" }] },
};

/**
 * Routes are matched on the path that the engine will read, so that none leads out of its `/v1`: dots are always resolved, and
 * this is said though it is the default (Envoy Gateway 1.9, internal/gatewayapi/listener.go).
 */
const ONE_SPELLING = { disableMergeSlashes: false, escapedSlashesAction: "UnescapeAndRedirect" as const };

/**
 * Against clients that send slowly to hold connections and memory; answers are not counted. The head of a request is at most 60 KiB and a
 * hundred headers (Envoy 1.40's limits, which Envoy Gateway 1.9 has no field for): ten seconds are 50 kbit/s, and no client has shown a key until it is there.
 */
function clientTimeout(http: Omit<ClientTimeout["http"], "requestHeadersReceivedTimeout">): ClientTimeout {
  return { http: { requestHeadersReceivedTimeout: "10s", ...http } };
}

function receiveSeconds(bytes: number): number {
  return RECEIVING.graceSeconds + Math.ceil((bytes * 8) / RECEIVING.bitsPerSecond);
}

/** Spec of the policy between proxies and models. */
export function backendTrafficSpec(
  limits: RequestLimits,
  quotas: readonly Quota[] = [],
): NonNullable<IBackendTrafficPolicy["spec"]> {
  const { rateLimit, responseOverride = [] } = quotaSpec(quotas);
  return {
    targetRefs: [HTTPS_LISTENER],
    ...towardsBackends(limits.requestTimeoutSeconds),
    requestBuffer: { limit: limits.maxRequestBytes },
    responseOverride: [...listenerRefusals(limits), ...responseOverride],
    // Only where no token was made: no connection, or the engine's own refusal (queue full, still loading).
    retry: {
      numRetries: 2,
      retryOn: { triggers: ["connect-failure", "retriable-status-codes"], httpStatusCodes: [503] },
      perRetry: { backOff: { baseInterval: "100ms", maxInterval: "2s" } },
    },
    // Per model and proxy. Engines queue on their own and say so in metrics; this stops a flood from filling memory.
    circuitBreaker: { ...atMost(limits.parallelRequests), maxParallelRetries: 32 },
    ...(rateLimit && { rateLimit }),
  };
}

/** Requests to a service that one proxy holds at a time. */
const SERVICE_PARALLEL_REQUESTS = 64;

/**
 * Spec of the policy between proxies and services that check their callers themselves. No request buffer, and no retries,
 * for which Envoy would keep the body too: a service must be able to refuse before it is read.
 */
export function serviceBackendTrafficSpec(listeners: readonly string[]): IBackendTrafficPolicy["spec"] {
  return {
    targetRefs: listeners.map(listenerReference),
    ...towardsBackends(OPEN_REQUEST_SECONDS),
    circuitBreaker: atMost(SERVICE_PARALLEL_REQUESTS),
  };
}

function atMost(requests: number) {
  return { maxConnections: 1024, maxPendingRequests: requests, maxParallelRequests: requests };
}

/** When proxies give up on a replica for a while. */
export const GIVE_UP = {
  consecutive5XxErrors: 10,
  consecutiveLocalOriginFailures: 3,
  splitExternalLocalOriginErrors: true,
  interval: "5s",
  baseEjectionTime: "30s",
  maxEjectionPercent: 50,
} as const;

/**
 * Engines close connections that were idle for 5 s (uvicorn's `timeout_keep_alive`, so vLLM's, and Node's servers). A request
 * that is on its way just then is lost, and it must not be sent again: Envoy has written it. So proxies close first.
 */
const UPSTREAM_IDLE = "3s";

/** How proxies find replicas, choose among them and give up on them. */
function towardsBackends(requestTimeoutSeconds: number) {
  return {
    timeout: {
      tcp: { connectTimeout: "5s" },
      http: { requestTimeout: seconds(requestTimeoutSeconds), connectionIdleTimeout: UPSTREAM_IDLE },
    },
    // Replicas answer at very different speeds: the length of the answer decides, not the count of requests.
    loadBalancer: { type: "LeastRequest" as const, slowStart: { window: "30s" } },
    // Replicas come and go as addresses behind a headless Service: ask often, whatever the record's TTL.
    dns: { dnsRefreshRate: "5s", respectDnsTtl: false },
    healthCheck: { passive: GIVE_UP },
  };
}

/** A Gateway API duration. */
export function seconds(count: number): string {
  return `${count}s`;
}
