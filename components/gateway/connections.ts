import type { ExistingController } from "../../names/envoy-gateway";
import { AI_GATEWAY_NAMESPACE, ENVOY_GATEWAY_NAMESPACE, GATEWAY_NAMESPACE } from "../../names/namespaces";
import { VALKEY_PORT } from "../../names/services";
import type { TokenIssuer } from "../../planner/tenants";
import type { AcmeServer } from "../certificates/cert-manager";
import { certManagerConnections } from "../certificates/connections";
import { type Connection, connect, type PodSelection, podsIn } from "../core/connections";
import { type ClusterNetworks, fromKubernetesApi, toKubernetesApi } from "../core/network";
import { outsideEnds, serverAt } from "../core/outside";
import { type ModelEndpoint, speaksOpenAi } from "../serving/endpoint";
import { AI_GATEWAY_PODS } from "./controller-values";
import { speaksGrpc } from "./grpc-routes";
import { speaksKserveAlone } from "./kserve-routes";
import { gatewayProxies, PROXY_PORTS, RATE_LIMITER, rateLimiterPods, rateLimitStorePods } from "./names";
import type { OutsidePublished } from "./published";
import type { RunTimeModels } from "./run-time-models";
import type { GatewayService } from "./service-routes";

/** The pods that answer an HTTP-01 challenge, by a label of cert-manager's, and the port they listen on. */
const ACME_SOLVER = {
  pods: { namespace: GATEWAY_NAMESPACE, podLabels: { "acme.cert-manager.io/http01-solver": "true" } },
  port: 8089,
} as const;
/** gRPC service that Envoy Gateway calls to have its xDS configuration amended (ai-gateway-helm 1.0). */
const EXTENSION_SERVER_PORT = 1063;
/** gRPC port of Envoy Gateway's xDS server. */
const XDS_PORT = 18000;
/** gRPC port of its other xDS server, for the rate limit service. */
const QUOTAS_XDS_PORT = 18001;

const aiGateway = podsIn(AI_GATEWAY_NAMESPACE);
/** Its pods that others connect to. */
const aiGatewayServers = {
  namespace: AI_GATEWAY_NAMESPACE,
  podLabels: AI_GATEWAY_PODS,
};

export interface GatewayConnections {
  /** Models behind the gateway. */
  readonly endpoints: readonly ModelEndpoint[];
  /** Servers that others run. @default none */
  readonly outside?: readonly OutsidePublished[];
  /** Services in addition to the models. */
  readonly services: readonly GatewayService[];
  /** What answers for models that no route names. @default none */
  readonly runTimeModels?: RunTimeModels | undefined;
  /** Whose tokens count besides keys. @default none */
  readonly tokenIssuer?: TokenIssuer | undefined;
  readonly networks: ClusterNetworks;
  /** An Envoy Gateway that the cluster has. @default the platform's */
  readonly existing?: ExistingController | undefined;
  /** Whether cert-manager is the platform's: an external one has its own policies, or none. */
  readonly certManager: "platform" | "present";
  /** Whether a tenant has a quota. @default false */
  readonly countsQuotas?: boolean;
  /** The server that certificates come from, where they come from one. */
  readonly acme: AcmeServer | undefined;
}

/** Everything that the gateway, its controllers and cert-manager connect to, and who may connect to them; Prometheus has its own list. */
export function gatewayConnections(args: GatewayConnections): Connection[] {
  const acme = args.acme && { ...args.acme, answers: { ...gatewayProxies, port: PROXY_PORTS.http } };
  return [
    ...controllers(args),
    ...(args.certManager === "platform" ? certManagerConnections(args.networks, acme) : []),
    ...proxies(args),
    ...(args.countsQuotas ? quotaCounting() : []),
  ];
}

/** A namespace of others has other pods, too. The label is in templates/envoy-gateway-deployment.yaml of gateway-helm 1.9. */
function controllerPods(existing: ExistingController | undefined): PodSelection {
  return existing
    ? { namespace: existing.namespace, podLabels: { "control-plane": "envoy-gateway" } }
    : podsIn(ENVOY_GATEWAY_NAMESPACE);
}

/** Envoy Gateway's controller with the hook Job that makes its certificates, and Envoy AI Gateway's. */
function controllers({ networks, existing }: GatewayConnections): Connection[] {
  const envoyGateway = controllerPods(existing);
  return [
    ...(existing ? [] : [toKubernetesApi("envoy-gateway", envoyGateway, networks)]),
    toKubernetesApi("ai-gateway", aiGateway, networks),
    fromKubernetesApi("ai-gateway", aiGatewayServers, [9443]),
    connect({
      name: "envoy-gateway-to-ai-gateway",
      reason: "Envoy Gateway has the AI gateway amend the proxies' configuration",
      from: envoyGateway,
      to: aiGatewayServers,
      ports: [EXTENSION_SERVER_PORT],
    }),
  ];
}

/** Proxies ask the rate limit service, which counts in a store of its own. */
function quotaCounting(): Connection[] {
  return [
    connect({
      name: "gateway-to-rate-limiter",
      reason: "The proxies ask what is left of a tenant's quota",
      from: gatewayProxies,
      to: rateLimiterPods,
      ports: [RATE_LIMITER.port],
    }),
    connect({
      name: "rate-limiter-to-envoy-gateway",
      reason: "The rate limit service fetches the quotas (xDS)",
      from: rateLimiterPods,
      to: podsIn(ENVOY_GATEWAY_NAMESPACE),
      ports: [QUOTAS_XDS_PORT],
    }),
    connect({
      name: "rate-limiter-to-store",
      reason: "The rate limit service counts what tenants use up",
      from: rateLimiterPods,
      to: rateLimitStorePods,
      ports: [VALKEY_PORT],
    }),
  ];
}

/** The proxies: requests in from everywhere, out to models, services and Envoy Gateway only. */
function proxies({
  endpoints,
  outside = [],
  tokenIssuer,
  networks,
  existing,
  services,
  runTimeModels,
  acme,
}: GatewayConnections): Connection[] {
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
      to: controllerPods(existing),
      ports: [XDS_PORT],
    }),
    ...endpoints.flatMap((endpoint) => {
      const ports = publishedPorts(endpoint);
      return ports.length === 0
        ? []
        : connect({
            name: `gateway-to-model-${endpoint.model}`,
            reason: "Requests come through the gateway alone",
            from: gatewayProxies,
            to: endpoint,
            ports,
          });
    }),
    ...outside.map(({ name, upstream, outside: { address } }) =>
      connect({
        name: `gateway-to-external-${name}`,
        reason: "Requests to models that others run go to their servers, from the gateway alone",
        from: gatewayProxies,
        to: outsideEnds(address, networks),
        ports: [upstream.port],
      }),
    ),
    ...(tokenIssuer
      ? [
          connect({
            name: "gateway-to-token-issuer",
            reason: "The proxies fetch the keys that tokens are signed with",
            from: gatewayProxies,
            to: outsideEnds(tokenIssuer.jwks, networks),
            ports: [serverAt(tokenIssuer.jwks).port],
          }),
        ]
      : []),
    ...services.map(({ name, pods, port }) =>
      connect({
        name: `gateway-to-${name}`,
        reason: "Requests at the hostname of a service go to its pods",
        from: gatewayProxies,
        to: pods,
        ports: [port],
      }),
    ),
    ...(runTimeModels
      ? [
          connect({
            name: "gateway-to-run-time-models",
            reason:
              "Requests for models that no route names, and for an engine's own API, go to the relay, from the gateway alone",
            from: gatewayProxies,
            to: runTimeModels.pods,
            ports: [runTimeModels.port],
          }),
        ]
      : []),
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

/** The ports that the gateway's routes lead to; none of an endpoint that the gateway has no route for. */
function publishedPorts(endpoint: ModelEndpoint): number[] {
  return [
    ...(speaksOpenAi(endpoint) ? [endpoint.ports.openai] : []),
    ...(speaksKserveAlone(endpoint) ? [endpoint.ports["kserve-http"]] : []),
    ...(speaksGrpc(endpoint) ? [endpoint.ports["kserve-grpc"]] : []),
    // Requests to its group, and whether each node is well.
    ...(endpoint.node ? [endpoint.node.port] : []),
  ];
}
