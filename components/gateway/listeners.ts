import type { IGateway } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/Gateway";
import type { IHTTPRoute } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute";
import { GATEWAY_NODE_PORTS } from "../../names/gateway-node-ports";
import { type GatewayTls, tlsSecretName } from "./certificate";
import { GATEWAY_NAME, LISTENERS } from "./names";
import type { Exposure } from "./proxy-pods";
import type { GatewayService } from "./service-routes";
import { ANY_PATH, listenerReference } from "./traffic";

/** Listeners of the models' hostname and of each service's, with their certificates, and one without TLS. */
export function gatewaySpec({
  hostname,
  tls,
  services,
  gatewayClass = GATEWAY_NAME,
}: {
  readonly hostname: string;
  readonly tls: GatewayTls;
  readonly services: readonly GatewayService[];
  readonly gatewayClass?: string | undefined;
}): IGateway["spec"] {
  const allowedRoutes = { namespaces: { from: "Same" as const } };
  const https = (name: string, host: string, certificate: string) => ({
    name,
    protocol: "HTTPS" as const,
    port: 443,
    hostname: host,
    allowedRoutes,
    tls: { mode: "Terminate" as const, certificateRefs: [{ group: "", kind: "Secret", name: certificate }] },
  });
  return {
    gatewayClassName: gatewayClass,
    infrastructure: { parametersRef: { group: "gateway.envoyproxy.io", kind: "EnvoyProxy", name: GATEWAY_NAME } },
    listeners: [
      https(LISTENERS.https, hostname, tlsSecretName(tls)),
      ...services.map((service) => https(service.name, service.hostname, tlsSecretName(tls, service.name))),
      // Redirects and challenges for each of the hostnames, where there are several.
      { name: LISTENERS.http, protocol: "HTTP", port: 80, ...(services.length === 0 && { hostname }), allowedRoutes },
    ],
  };
}

/** What the listener without TLS answers. */
export function redirectSpec(exposure: Exposure): IHTTPRoute["spec"] {
  return {
    parentRefs: [listenerReference(LISTENERS.http)],
    rules: [
      {
        matches: [{ path: ANY_PATH }],
        filters: [
          {
            type: "RequestRedirect",
            requestRedirect: {
              scheme: "https",
              statusCode: 301,
              ...(exposure === "NodePort" && { port: GATEWAY_NODE_PORTS.https }),
            },
          },
        ],
      },
    ],
  };
}
