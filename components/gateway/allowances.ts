import {
  type Allowance,
  anyAddress,
  type ClusterNetworks,
  fromKubernetesApi,
  internet,
  kubernetesApi,
  podsOf,
} from "../core/network";
import type { ModelEndpoint } from "../serving/endpoint";
import type { AcmeServer } from "./certificate";
import { AI_GATEWAY_NAMESPACE, ENVOY_GATEWAY_NAMESPACE, GATEWAY_NAMESPACE, gatewayProxies, PROXY_PORTS } from "./names";

/** Labels that cert-manager puts on the pods that answer an HTTP-01 challenge, and the port they listen on. */
const ACME_SOLVER = { pods: { "acme.cert-manager.io/http01-solver": "true" }, port: 8089 } as const;
/** gRPC service that Envoy Gateway calls to have its xDS configuration amended (ai-gateway-helm 1.1). */
const EXTENSION_SERVER_PORT = 1063;
/** gRPC port of Envoy Gateway's xDS server. */
const XDS_PORT = 18000;

const SCRAPED = "Prometheus reads their metrics";

const proxies = podsOf(gatewayProxies);

/** Envoy Gateway's controller, and the hook Job that makes its certificates. */
export function envoyGatewayAllowances(networks: ClusterNetworks, observabilityNamespace: string): Allowance[] {
  return [
    kubernetesApi("kubernetes-api", {}, networks),
    {
      name: "extension-server",
      reason: "Envoy Gateway has the AI gateway amend the proxies' configuration",
      pods: {},
      to: [{ namespace: AI_GATEWAY_NAMESPACE }],
      ports: [{ port: EXTENSION_SERVER_PORT }],
    },
    {
      name: "proxies",
      reason: "The proxies fetch their configuration (xDS)",
      pods: {},
      from: [proxies],
      ports: [{ port: XDS_PORT }],
    },
    {
      name: "metrics",
      reason: SCRAPED,
      pods: {},
      from: [{ namespace: observabilityNamespace }],
      ports: [{ port: 19001 }],
    },
  ];
}

/** Envoy AI Gateway's controller. */
export function aiGatewayAllowances(networks: ClusterNetworks, observabilityNamespace: string): Allowance[] {
  return [
    kubernetesApi("kubernetes-api", {}, networks),
    fromKubernetesApi("pod-webhook", {}, [{ port: 9443 }]),
    {
      name: "envoy-gateway",
      reason: "Envoy Gateway has the proxies' configuration amended here",
      pods: {},
      from: [{ namespace: ENVOY_GATEWAY_NAMESPACE }],
      ports: [{ port: EXTENSION_SERVER_PORT }],
    },
    {
      name: "metrics",
      reason: SCRAPED,
      pods: {},
      from: [{ namespace: observabilityNamespace }],
      ports: [{ port: 8080 }],
    },
  ];
}

/** cert-manager's controller, which orders certificates; its webhook and its injector have no business outside. */
const CERT_MANAGER_CONTROLLER = {
  "app.kubernetes.io/name": "cert-manager",
  "app.kubernetes.io/component": "controller",
};

/**
 * cert-manager.
 *
 * @param acme the server that certificates come from, where they come from one.
 */
export function certManagerAllowances(
  networks: ClusterNetworks,
  observabilityNamespace: string,
  acme: AcmeServer | undefined,
): Allowance[] {
  return [
    kubernetesApi("kubernetes-api", {}, networks),
    fromKubernetesApi("webhook", { "app.kubernetes.io/name": "webhook" }, [{ port: 10250 }]),
    {
      name: "metrics",
      reason: SCRAPED,
      pods: {},
      from: [{ namespace: observabilityNamespace }],
      ports: [{ port: 9402 }],
    },
    ...(acme ? acmeAllowances(networks, acme) : []),
  ];
}

function acmeAllowances(networks: ClusterNetworks, { server }: AcmeServer): Allowance[] {
  const pods = CERT_MANAGER_CONTROLLER;
  // A server of one's own may stand in a private network.
  const to = server === undefined ? internet(networks) : anyAddress();
  return [
    {
      name: "acme-server",
      reason: "cert-manager orders certificates from the ACME server",
      pods,
      to,
      ports: [{ port: server === undefined ? 443 : portOf(server) }],
    },
    // Before it asks the ACME server to look, cert-manager fetches the challenge itself through the public name, which
    // may resolve to a private address; the node may shorten that path to the proxies' own port.
    {
      name: "challenge-self-check",
      reason: "cert-manager fetches a challenge itself, by its public name, before the ACME server is told to",
      pods,
      to: anyAddress(),
      ports: [{ port: 80 }],
    },
    {
      name: "challenge-self-check-inside",
      reason: "The same, where the node shortens the path to the proxies' own port",
      pods,
      to: [proxies],
      ports: [{ port: PROXY_PORTS.http }],
    },
  ];
}

/** Port of an `https` URL. */
function portOf(url: string): number {
  return Number(new URL(url).port || 443);
}

/** The proxies: requests in from everywhere, out to models and to Envoy Gateway only. */
export function proxyAllowances(
  endpoints: readonly ModelEndpoint[],
  observabilityNamespace: string,
  acme: boolean,
): Allowance[] {
  const pods = gatewayProxies.podLabels;
  return [
    // An empty list of peers is everyone: clients inside and outside of the cluster; the API key is the gate.
    {
      name: "clients",
      reason: "Clients inside and outside of the cluster: the API key is the gate",
      pods,
      from: [],
      ports: [{ port: PROXY_PORTS.https }, { port: PROXY_PORTS.http }],
    },
    {
      name: "xds",
      reason: "The proxies fetch their configuration (xDS) from Envoy Gateway",
      pods,
      to: [{ namespace: ENVOY_GATEWAY_NAMESPACE }],
      ports: [{ port: XDS_PORT }],
    },
    {
      name: "metrics",
      reason: SCRAPED,
      pods,
      from: [{ namespace: observabilityNamespace }],
      ports: [{ port: PROXY_PORTS.envoyMetrics }, { port: PROXY_PORTS.tokenMetrics }],
    },
    ...endpoints.map(({ model, namespace, podLabels, port }) => ({
      name: `model-${model}`,
      reason: `Requests for the model ${model} go to its servers`,
      pods,
      to: [podsOf({ namespace, podLabels })],
      ports: [{ port }],
    })),
    ...(acme
      ? [
          {
            name: "challenge",
            reason: "The proxies pass the ACME server's question on to the pod that answers the challenge",
            pods,
            to: [{ pods: ACME_SOLVER.pods }],
            ports: [{ port: ACME_SOLVER.port }],
          },
          {
            name: "challenge-solver",
            reason: "The pod that answers an ACME challenge is asked through the proxies",
            pods: ACME_SOLVER.pods,
            from: [{ namespace: GATEWAY_NAMESPACE, pods }],
            ports: [{ port: ACME_SOLVER.port }],
          },
        ]
      : []),
  ];
}
