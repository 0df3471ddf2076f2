import { canonicalCidr, contains, type Network, PRIVATE_IPV4, parseCidr, SHARED_IPV4 } from "../../names/cidr";
import { DNS_CACHES } from "../../names/dns-caches";
import { METADATA_SERVICES } from "../../names/metadata-services";
import { type Connection, connect, type End, type PodSelection, type Port, podsIn } from "./connections";

/** CoreDNS, which carries this label on k3s, OKE and EKS. */
export const CLUSTER_DNS: PodSelection = { namespace: "kube-system", podLabels: { "k8s-app": "kube-dns" } };

/**
 * Name resolution, which everything needs. Where a cache runs on every node (NodeLocal DNSCache), queries go to it: to
 * its pods, or to the address that it listens on.
 *
 * @param caches networks in CIDR form of caches at other addresses.
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

/** Which addresses mean what, around a cluster. */
export interface ClusterNetworks {
  /** Networks in CIDR form that are not the internet, besides RFC 1918 and RFC 6598: pods, Services, nodes, offices. */
  readonly privateCidrs: readonly string[];
  /** Networks in CIDR form of the API server. Empty: it may be anywhere. */
  readonly apiServerCidrs: readonly string[];
}

/** RFC 4193 and link-local addresses of IPv6. */
const PRIVATE_IPV6 = ["fc00::/7", "fe80::/10"];

const EVERYWHERE = "0.0.0.0/0";
const EVERYWHERE_IPV6 = "::/0";

/** Everything outside of private networks. IPv6 too, where the environment names a private network of it. */
export function internet({ privateCidrs }: Pick<ClusterNetworks, "privateCidrs">): End[] {
  const hasIpv6 = privateCidrs.some((cidr) => parseCidr(cidr)?.family === 6);
  const except = [...PRIVATE_IPV4, SHARED_IPV4, ...PRIVATE_IPV6, ...privateCidrs];
  return addresses([EVERYWHERE, ...(hasIpv6 ? [EVERYWHERE_IPV6] : [])], except);
}

/** Any address, of private networks too, for what the platform knows by a name only. */
export function anyAddress(): End[] {
  return addresses([EVERYWHERE]);
}

/** Addresses in networks in CIDR form. At least one that is not all metadata services. */
export function networksOf(cidrs: readonly string[]): End[] {
  return addresses(cidrs);
}

/** Addresses of nodes: those of private networks. */
export function privateNetworks({ privateCidrs }: Pick<ClusterNetworks, "privateCidrs">): End[] {
  return addresses([...PRIVATE_IPV4, ...privateCidrs]);
}

/** Use of the Kubernetes API. Its server's address is not selectable by labels, and is outside the pod network. */
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

/** Admission webhooks, and APIs that the API server passes on: it calls from addresses that no selector matches. */
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
 * Ends for networks, never the metadata services. The API server takes an exception only inside of its network, and one
 * that lies in another says nothing.
 *
 * @throws Error when nothing is left: a connection without an end would be open to everything.
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

/** Networks as the API server wants them written, each once, without those inside of another. */
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
