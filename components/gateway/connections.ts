import { AI_GATEWAY_NAMESPACE, ENVOY_GATEWAY_NAMESPACE, GATEWAY_NAMESPACE } from "../../names/namespaces";
import type { AcmeServer } from "../certificates/cert-manager";
import { certManagerConnections } from "../certificates/connections";
import { type Connection, connect, podsIn } from "../core/connections";
import { type ClusterNetworks, fromKubernetesApi, toKubernetesApi } from "../core/network";
import { outsideEnds } from "../core/outside";
import { type ModelEndpoint, speaksOpenAi } from "../serving/endpoint";
import { speaksKserveAlone } from "./kserve-routes";
import { gatewayProxies, PROXY_PORTS } from "./names";
import type { OutsidePublished } from "./published";
import type { GatewayService } from "./service-routes";

/** The pods that answer an HTTP-01 challenge, by a label of cert-manager's, and the port they listen on. */
const ACME_SOLVER = {
  pods: { namespace: GATEWAY_NAMESPACE, podLabels: { "acme.cert-manager.io/http01-solver": "true" } },
  port: 8089,
} as const;
/** gRPC service that Envoy Gateway calls to have its xDS configuration amended (ai-gateway-helm 1.1). */
const EXTENSION_SERVER_PORT = 1063;
/** gRPC port of Envoy Gateway's xDS server. */
const XDS_PORT = 18000;

const envoyGateway = podsIn(ENVOY_GATEWAY_NAMESPACE);
const aiGateway = podsIn(AI_GATEWAY_NAMESPACE);

export interface GatewayConnections {
  /** Models behind the gateway. */
  readonly endpoints: readonly ModelEndpoint[];
  /** Servers that others run. @default none */
  readonly outside?: readonly OutsidePublished[];
  /** Services beside the models. */
  readonly services: readonly GatewayService[];
  readonly networks: ClusterNetworks;
  /** Whether cert-manager is the platform's: somebody else's has policies of its own, or none. */
  readonly certManager: "platform" | "present";
  /** The server that certificates come from, where they come from one. */
  readonly acme: AcmeServer | undefined;
}

/** Everything that the gateway, its controllers and cert-manager connect to, and who may connect to them; Prometheus has its own list. */
export function gatewayConnections(args: GatewayConnections): Connection[] {
  const acme = args.acme && { ...args.acme, answers: { ...gatewayProxies, port: PROXY_PORTS.http } };
  return [
    ...controllers(args.networks),
    ...(args.certManager === "platform" ? certManagerConnections(args.networks, acme) : []),
    ...proxies(args),
  ];
}

/** Envoy Gateway's controller with the hook Job that makes its certificates, and Envoy AI Gateway's. */
function controllers(networks: ClusterNetworks): Connection[] {
  return [
    toKubernetesApi("envoy-gateway", envoyGateway, networks),
    toKubernetesApi("ai-gateway", aiGateway, networks),
    fromKubernetesApi("ai-gateway", aiGateway, [9443]),
    connect({
      name: "envoy-gateway-to-ai-gateway",
      reason: "Envoy Gateway has the AI gateway amend the proxies' configuration",
      from: envoyGateway,
      to: aiGateway,
      ports: [EXTENSION_SERVER_PORT],
    }),
  ];
}

/** The proxies: requests in from everywhere, out to models, services and Envoy Gateway only. */
function proxies({ endpoints, outside = [], networks, services, acme }: GatewayConnections): Connection[] {
  return [
    connect({
      name: "clients-to-gateway",
      reason: "Clients inside and outside of the cluster: the API key is the gate",
      from: { anyone: true },
      to: gatewayProxies,
      ports: [PROXY_PORTS.https, PROXY_PORTS.http],
    }),
    connect({
      name: "gateway-to-envoy-gateway",
      reason: "The proxies fetch their configuration (xDS)",
      from: gatewayProxies,
      to: envoyGateway,
      ports: [XDS_PORT],
    }),
    ...endpoints.flatMap((endpoint) =>
      publishedPorts(endpoint).map((port) =>
        connect({
          name: `gateway-to-model-${endpoint.model}`,
          reason: "Requests come through the gateway alone",
          from: gatewayProxies,
          to: endpoint,
          ports: [port],
        }),
      ),
    ),
    ...outside.map(({ name, upstream, outside: { address } }) =>
      connect({
        name: `gateway-to-external-${name}`,
        reason: "Requests to models that others run go to their servers, from the gateway alone",
        from: gatewayProxies,
        to: outsideEnds(address, networks),
        ports: [upstream.port],
      }),
    ),
    ...services.map(({ name, pods, port }) =>
      connect({
        name: `gateway-to-${name}`,
        reason: "Requests at the hostname of a service go to its pods",
        from: gatewayProxies,
        to: pods,
        ports: [port],
      }),
    ),
    ...(acme
      ? [
          connect({
            name: "gateway-to-acme-solver",
            reason: "The proxies pass the ACME server's question on to the pod that answers the challenge",
            from: gatewayProxies,
            to: ACME_SOLVER.pods,
            ports: [ACME_SOLVER.port],
          }),
        ]
      : []),
  ];
}

/** The port that the gateway's routes lead to; none for an endpoint that the gateway has no route for. */
function publishedPorts(endpoint: ModelEndpoint): number[] {
  if (speaksOpenAi(endpoint)) {
    return [endpoint.ports.openai];
  }
  return speaksKserveAlone(endpoint) ? [endpoint.ports["kserve-http"]] : [];
}
