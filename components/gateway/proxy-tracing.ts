import type { IBackend } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/Backend";
import type { IEnvoyProxy } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/EnvoyProxy";
import type { TraceReceiver } from "../../names/trace-receiver";
import { CLIENT_PATH_OPERATOR } from "./access-log";
import { CONSUMER_HEADER, GATEWAY_NAME, MODEL_HEADER } from "./names";

/** Backend with the address that proxies report spans to. */
export const TRACES_BACKEND = "traces";

/** In the definition of Envoy Gateway 1.9, and not in its types. */
const ALWAYS: object = { sampler: { type: "AlwaysOn" } };

type Telemetry = NonNullable<NonNullable<IEnvoyProxy["spec"]>["telemetry"]>;

/**
 * Every request is a trace, whatever its client says: the collector decides which are kept. Envoy's own tags hold the URL with its query and
 * the user agent, which may hold keys: tags of the same names replace them, an empty one would not.
 */
export function proxyTracing({ grpcPort }: TraceReceiver): Pick<Telemetry, "tracing" | "requestID"> {
  return {
    tracing: {
      provider: {
        type: "OpenTelemetry",
        port: grpcPort,
        serviceName: GATEWAY_NAME,
        backendRefs: [{ group: "gateway.envoyproxy.io", kind: "Backend", name: TRACES_BACKEND, weight: 1 }],
        openTelemetry: ALWAYS,
      },
      tags: {
        "http.url": CLIENT_PATH_OPERATOR,
        user_agent: "-",
        "url.path": CLIENT_PATH_OPERATOR,
        "inference.tenant": `%REQ(${CONSUMER_HEADER.toUpperCase()})%`,
        "inference.model": `%REQ(${MODEL_HEADER.toUpperCase()})%`,
      },
    },
    // A digit of the id would say whether it is traced: logs, clients and engines would know one request by two ids.
    requestID: { tracing: "Disable" },
  };
}

export function tracesBackendSpec({ host, grpcPort }: TraceReceiver): IBackend["spec"] {
  return { endpoints: [{ fqdn: { hostname: host, port: grpcPort } }] };
}
