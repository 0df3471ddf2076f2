import type { KubernetesObject } from "../../../kubernetes/object";
import { GATEWAY_NAMESPACE } from "../../../names/namespaces";
import { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { changedRun } from "../../stacks/run";
import { Backend } from "./backend";
import { load, type Way } from "./load";
import { type Measured, processIn } from "./processes";

/** Body limit of the bench's gateway, MiB: the default of text models. */
export const BODY_LIMIT_MIB = 4;

const MODEL = "assistant";
const CONSUMER = "bench";

/** The real gateway before a backend that costs nothing, and the ways to it. */
export interface BenchStand {
  readonly backend: Backend;
  /** The first is past the gateway; each of the others asks more of the gateway than the one before it. */
  readonly ways: readonly [Way, ...Way[]];
  readonly envoy: Measured;
  readonly filter: Measured;
}

/** @throws Error that names the command which installs a missing part. */
export async function withStand<T>(work: (stand: BenchStand) => Promise<T>): Promise<T> {
  const { resources } = await changedRun("dev", {
    gateway: {
      hostname: "inference.example.internal",
      exposure: "ClusterIP",
      tls: { kind: "self-signed" },
      consumers: [CONSUMER],
      maxRequestMiB: BODY_LIMIT_MIB,
    },
  });
  const stand = await GatewayStand.start(resources);
  try {
    const backend = new Backend();
    const { server } = await stand.serve(MODEL, backend.listener);
    // Node closes idle connections after 5 s, in the moment in which the next request may be on its way.
    server.keepAliveTimeout = 600_000;
    const direct = await backend.direct();
    await stand.apply([...route("bench-open", true), ...route("bench-key", false)]);
    const [proxy] = stand.proxies;
    if (proxy === undefined) {
      throw new Error("the stand has no proxy");
    }
    const headers = { host: stand.hostname, authorization: `Bearer ${await stand.key(CONSUMER)}` };
    const gateway = { host: proxy.address, port: proxy.httpsPort, servername: stand.hostname, ca: stand.ca, headers };
    const path = "/v1/chat/completions";
    const ways = [
      { name: "direct, no TLS", to: { host: "127.0.0.1", port: direct.port, path } },
      { name: "Envoy", to: { ...gateway, path: `/bench-open${path}` } },
      { name: "Envoy, key", to: { ...gateway, path: `/bench-key${path}` } },
      { name: "Envoy, key, AI filter", to: { ...gateway, path } },
    ] as const;
    for (const way of ways) {
      await waitFor(`${way.name} to answer`, () =>
        load(way, Buffer.from(JSON.stringify({ model: MODEL, messages: [] })), { requests: 1, connections: 1 }).catch(
          () => undefined,
        ),
      );
    }
    const programs = {
      envoy: processIn(proxy.networkProcess, "envoy"),
      filter: processIn(proxy.networkProcess, "ai-gateway-extproc"),
    };
    try {
      return await work({ backend, ways, ...programs });
    } finally {
      direct.close();
    }
  } finally {
    await stand.stop();
  }
}

/**
 * A route to the model that the AI gateway does not know of, so its filter is off there. Without a key, a policy of its own stands
 * in place of the listener's.
 */
function route(name: string, open: boolean): KubernetesObject[] {
  const metadata = { name, namespace: GATEWAY_NAMESPACE };
  const parentRefs = [{ name: "inference", sectionName: "https" }];
  const backendRefs = [{ group: "gateway.envoyproxy.io", kind: "Backend", name: MODEL }];
  const rules = [{ matches: [{ path: { type: "PathPrefix", value: `/${name}` } }], backendRefs }];
  return [
    { apiVersion: "gateway.networking.k8s.io/v1", kind: "HTTPRoute", metadata, spec: { parentRefs, rules } },
    ...(open
      ? [
          {
            apiVersion: "gateway.envoyproxy.io/v1alpha1",
            kind: "SecurityPolicy",
            metadata,
            spec: {
              targetRefs: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", name }],
              authorization: { defaultAction: "Allow" },
            },
          },
        ]
      : []),
  ];
}
