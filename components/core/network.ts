import { canonicalCidr, contains, type Network, PRIVATE_IPV4, parseCidr, SHARED_IPV4 } from "../../names/cidr";
import { DNS_CACHES } from "../../names/dns-caches";
import { METADATA_SERVICES } from "../../names/metadata-services";
import { type Connection, connect, type End, type PodSelection, type Port, podsIn } from "./connections";

/** CoreDNS, which has this label on k3s, OKE and EKS. */
export const CLUSTER_DNS: PodSelection = { namespace: "kube-system", podLabels: { "k8s-app": "kube-dns" } };

/**
 * DNS connections. With node-local caches (NodeLocal DNSCache), queries go to cache pods or their
 * listen address.
 *
 * @param caches additional cache networks as CIDRs.
 */
export function toDns(namespace: string, caches: readonly string[] = []): Connection {
  return connect({
    name: "dns",
    reason: "All pods resolve names",
    from: podsIn(namespace),
    to: [
      CLUSTER_DNS,
      { ...CLUSTER_DNS, podLabels: { "k8s-app": "node-local-dns" } },
      ...[...DNS_CACHES, ...caches].map((cidr) => ({ cidr })),
    ],
    ports: [{ port: 53, protocol: "UDP" }, 53],
  });
}

export interface ClusterNetworks {
  /** Private networks besides RFC 1918 and RFC 6598, as CIDRs: pods, Services, nodes, offices. */
  readonly privateCidrs: readonly string[];
  /** Networks of the API server, as CIDRs. Empty: any address. */
  readonly apiServerCidrs: readonly string[];
}

/** RFC 4193 and link-local IPv6 addresses. */
const PRIVATE_IPV6 = ["fc00::/7", "fe80::/10"];

const EVERYWHERE = "0.0.0.0/0";
const EVERYWHERE_IPV6 = "::/0";

/**
 * All addresses outside private networks. Includes IPv6 if the environment names a private IPv6
 * network.
 */
export function internet({ privateCidrs }: Pick<ClusterNetworks, "privateCidrs">): End[] {
  const hasIpv6 = privateCidrs.some((cidr) => parseCidr(cidr)?.family === 6);
  const except = [...PRIVATE_IPV4, SHARED_IPV4, ...PRIVATE_IPV6, ...privateCidrs];
  return addresses([EVERYWHERE, ...(hasIpv6 ? [EVERYWHERE_IPV6] : [])], except);
}

/** Any address, including private ones, for targets known only by name. */
export function anyAddress(): End[] {
  return addresses([EVERYWHERE]);
}

/** Addresses in CIDR networks, without metadata services. At least one must remain. */
export function networksOf(cidrs: readonly string[]): End[] {
  return addresses(cidrs);
}

/** Node addresses: private networks. */
export function privateNetworks({ privateCidrs }: Pick<ClusterNetworks, "privateCidrs">): End[] {
  return addresses([...PRIVATE_IPV4, ...privateCidrs]);
}

/** Access to the Kubernetes API, whose address is outside the pod network and has no labels. */
export function toKubernetesApi(
  client: string,
  from: PodSelection | readonly PodSelection[],
  { apiServerCidrs }: Pick<ClusterNetworks, "apiServerCidrs">,
): Connection {
  return connect({
    name: `${client}-to-kubernetes-api`,
    reason: "They use the Kubernetes API, whose address no selector matches",
    from,
    to: apiServerCidrs.length > 0 ? addresses(apiServerCidrs) : anyAddress(),
    ports: [443, 6443],
  });
}

/** Webhooks and aggregated APIs: calls from the API server, whose addresses no selector matches. */
export function fromKubernetesApi(
  server: string,
  to: PodSelection,
  ports: readonly (number | Port)[],
  called = "this webhook",
): Connection {
  return connect({
    name: `kubernetes-api-to-${server}`,
    reason: `The API server calls ${called}, from addresses that no selector matches`,
    from: { cidr: EVERYWHERE },
    to,
    ports,
  });
}

/**
 * Ends for networks without metadata services. The API server accepts exceptions only inside their
 * network.
 *
 * @throws Error if none is left: a connection without an end would allow any.
 */
function addresses(cidrs: readonly string[], except: readonly string[] = []): End[] {
  const holes = outermost([...except, ...METADATA_SERVICES]);
  const ends = outermost(cidrs)
    .filter(({ network }) => !holes.some((hole) => contains(hole.network, network)))
    .map(({ cidr, network }) => {
      const inside = holes.filter((hole) => contains(network, hole.network)).map((hole) => hole.cidr);
      return { cidr, ...(inside.length > 0 && { except: inside }) };
    });
  if (ends.length === 0) {
    throw new Error(`no address is left of ${cidrs.join(", ")}: all are of metadata services, or excepted`);
  }
  return ends;
}

/** Normalized distinct networks without those inside others. */
function outermost(cidrs: readonly string[]): { readonly cidr: string; readonly network: Network }[] {
  const known = [...new Set(cidrs.map((cidr) => canonicalCidr(cidr) ?? cidr))].map((cidr) => {
    const network = parseCidr(cidr);
    if (network === undefined) {
      throw new Error(`"${cidr}" is no network in CIDR form`);
    }
    return { cidr, network };
  });
  return known.filter(({ network }, i) => !known.some((other, j) => j !== i && contains(other.network, network)));
}
