import { describeObject, groupOf, isBuiltIn, type KubernetesObject } from "../../../kubernetes/object";
import { AI_GATEWAY_NAMESPACE, ENVOY_GATEWAY_NAMESPACE, GATEWAY_NAMESPACE } from "../../../names/namespaces";
import { serviceFqdn } from "../../../names/service-host";
import type { ApiClient } from "../api-client";
import type { Authority } from "../authority";
import type { PodNetwork } from "../kubelet/network";

const NAMESPACES: readonly string[] = [GATEWAY_NAMESPACE, ENVOY_GATEWAY_NAMESPACE, AI_GATEWAY_NAMESPACE];
export const GATEWAY_GROUPS = [
  "gateway.networking.k8s.io",
  "gateway.envoyproxy.io",
  "aigateway.envoyproxy.io",
  "inference.networking.k8s.io",
];

/** Creates certificate Secrets. */
type Certifier = Pick<Authority, "tlsSecret">;

/**
 * Gateway-related objects of an environment: those of its namespaces and kinds, and Services that
 * routes use. Includes certificate Secrets.
 */
export function gatewayObjects(all: readonly KubernetesObject[], authority: Certifier): KubernetesObject[] {
  const wanted = all.filter((object) => {
    const { kind, apiVersion, metadata } = object;
    const group = groupOf(apiVersion);
    return (
      kind === "Namespace" ||
      kind === "PriorityClass" ||
      kind === "Service" ||
      GATEWAY_GROUPS.includes(group) ||
      (NAMESPACES.includes(metadata.namespace ?? "") && isBuiltIn(group))
    );
  });
  return [...wanted, ...certificateSecrets(all, authority)];
}

interface Certificate {
  readonly dnsNames?: readonly string[];
  readonly secretName: string;
}

interface GatewaySpec {
  readonly listeners: readonly {
    readonly hostname?: string;
    readonly tls?: { readonly certificateRefs?: readonly { readonly name: string }[] };
  }[];
}

/**
 * Secrets for servers in the gateway's namespace, as from cert-manager; without Certificates, the
 * user's Secrets that listeners name.
 */
function certificateSecrets(all: readonly KubernetesObject[], authority: Certifier): KubernetesObject[] {
  const here = all.filter(({ metadata }) => metadata.namespace === GATEWAY_NAMESPACE);
  const specs = <T>(wanted: string) => here.filter(({ kind }) => kind === wanted).map(({ spec }) => spec as T);
  const issued = specs<Certificate>("Certificate").flatMap(({ secretName, dnsNames = [] }) =>
    dnsNames.length > 0 ? [{ secretName, dnsNames }] : [],
  );
  // A user's Secret covers all names.
  const names = specs<GatewaySpec>("Gateway")
    .flatMap(({ listeners }) => listeners)
    .flatMap(({ hostname, tls }) => (tls?.certificateRefs ?? []).map(({ name }) => ({ name, hostname })))
    .flatMap(({ name, hostname }) => (hostname === undefined ? [] : [{ secretName: name, hostname }]));
  const own = [...new Set(names.map(({ secretName }) => secretName))].map((secretName) => ({
    secretName,
    dnsNames: names.filter((each) => each.secretName === secretName).map(({ hostname }) => hostname),
  }));
  return (issued.length > 0 ? issued : own).map(({ secretName, dnsNames }) =>
    authority.tlsSecret({ name: secretName, namespace: GATEWAY_NAMESPACE }, dnsNames),
  );
}

/** Applies objects: namespaces and classes first, with each namespace's defaults. */
export async function applyGateway(client: ApiClient, objects: readonly KubernetesObject[]): Promise<void> {
  const first = objects.filter(({ kind }) => kind === "Namespace" || kind === "PriorityClass");
  await Promise.all(first.map((object) => client.apply(object)));
  const namespaces = first.filter(({ kind }) => kind === "Namespace").map(({ metadata }) => metadata.name);
  const accounts = namespaces.map((namespace) => ({
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "default", namespace },
  }));
  await Promise.all(accounts.map((account) => client.apply(account)));
  const rest = objects.filter((object) => !first.includes(object));
  await Promise.all(rest.map((object) => client.apply(object)));
}

export interface Endpoint {
  readonly hostname: string;
  readonly port: number;
}

/** Servers of a Backend, by name; empty for other objects. */
export function endpointsOf({ kind, spec }: KubernetesObject): Endpoint[] {
  if (kind !== "Backend") {
    return [];
  }
  const { endpoints = [] } = (spec ?? {}) as { readonly endpoints?: readonly { readonly fqdn?: Endpoint }[] };
  return endpoints.flatMap(({ fqdn }) => fqdn ?? []);
}

interface Route {
  readonly rules?: readonly { readonly backendRefs?: readonly BackendRef[] }[];
}

interface BackendRef {
  readonly kind?: string;
  readonly name: string;
  readonly namespace?: string;
}

interface ServicePorts {
  readonly ports: readonly { readonly name?: string; readonly port: number; readonly protocol?: string }[];
}

/** Gives routed Services an address for a test's server, as their pods do not run. */
export async function serveRoutedServices(
  client: ApiClient,
  network: PodNetwork,
  objects: readonly KubernetesObject[],
): Promise<void> {
  const named = new Set(
    objects.flatMap(({ spec, metadata }) =>
      ((spec as Route | undefined)?.rules ?? [])
        .flatMap(({ backendRefs = [] }) => backendRefs)
        .filter(({ kind = "Service" }) => kind === "Service")
        .map(({ name, namespace = metadata.namespace }) => `Service ${namespace}/${name}`),
    ),
  );
  for (const service of objects.filter((object) => named.has(describeObject(object)))) {
    const { name, namespace = "" } = service.metadata;
    const address = await network.serviceAddress(serviceFqdn(name, namespace));
    const { ports } = service.spec as unknown as ServicePorts;
    await client.apply({
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: `${name}-test`, namespace, labels: { "kubernetes.io/service-name": name } },
      addressType: "IPv4",
      endpoints: [{ addresses: [address], conditions: { ready: true } }],
      ports: ports.map(({ name: port, port: number, protocol = "TCP" }) => ({
        name: port ?? "",
        port: number,
        protocol,
      })),
    });
  }
}
