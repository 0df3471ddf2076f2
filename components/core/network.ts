import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { canonicalCidr, contains, type Network, parseCidr } from "./cidr";
import type { Labels } from "./labels";

type Rule = kubernetes.types.input.networking.v1.NetworkPolicyPeer;

/** The other end of an allowed connection. */
export type Peer =
  /** Pods of the same namespace. */
  | { readonly pods: Labels }
  /** Pods (all, unless labels are given) of a namespace. */
  | { readonly namespace: string; readonly pods?: Labels }
  /** Pods of whichever namespace: for parts that the platform did not install. Give ports with it. */
  | { readonly anyNamespace: true; readonly pods?: Labels }
  /** Addresses. */
  | { readonly cidr: string; readonly except?: readonly string[] };

export interface Port {
  readonly port: number;
  readonly protocol?: "TCP" | "UDP";
}

/**
 * One named hole in a namespace's default-deny policy. Name it after the other end
 * (`gateway`, `model-store`, `registry`), because that is what an auditor reads first.
 */
export interface Allowance {
  readonly name: string;
  /** Who needs the connection and for what, in one sentence without a full stop: it stands on the policy. */
  readonly reason: string;
  /** Pods it applies to; all pods of the namespace when empty. */
  readonly pods: Labels;
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  /** Destination ports; all ports when left out. */
  readonly ports?: readonly Port[];
}

/** Pods of a known place. */
export interface PodSelection {
  readonly namespace: string;
  readonly podLabels: Labels;
}

/** The pods of a selection, as the other end of a connection. */
export function podsOf({ namespace, podLabels }: PodSelection): Peer {
  return { namespace, pods: podLabels };
}

/** CoreDNS, which carries this label on k3s, OKE and EKS. */
export const CLUSTER_DNS: Peer = { namespace: "kube-system", pods: { "k8s-app": "kube-dns" } };

/** Which addresses mean what, around a cluster. */
export interface ClusterNetworks {
  /** Networks in CIDR form that are not the internet, besides RFC 1918 and RFC 6598: pods, Services, nodes, offices. */
  readonly privateCidrs: readonly string[];
  /** Networks in CIDR form of the API server. Empty: it may be anywhere. */
  readonly apiServerCidrs: readonly string[];
}

/**
 * Instance metadata services and their like, which hand out the node's or pod's credentials of the cloud: link-local
 * ones (169.254.169.254 on OCI and AWS, 169.254.170.23 of EKS Pod Identity), and AWS's over IPv6 (fd00:ec2::254, ::23).
 * No pod of the platform may reach them.
 */
export const METADATA_SERVICES = ["169.254.0.0/16", "fd00:ec2::/32"] as const;

/** RFC 1918. */
const PRIVATE = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"];
/** RFC 6598: carriers' networks, and pods on EKS with custom networking. */
const SHARED = "100.64.0.0/10";
/** RFC 4193 and link-local addresses of IPv6. */
const PRIVATE_IPV6 = ["fc00::/7", "fe80::/10"];

const EVERYWHERE = "0.0.0.0/0";
const EVERYWHERE_IPV6 = "::/0";

/** Everything outside of private networks. IPv6 too, where the environment names a private network of it. */
export function internet({ privateCidrs }: Pick<ClusterNetworks, "privateCidrs">): Peer[] {
  const hasIpv6 = privateCidrs.some((cidr) => parseCidr(cidr)?.family === 6);
  const except = [...PRIVATE, SHARED, ...PRIVATE_IPV6, ...privateCidrs];
  return addresses([EVERYWHERE, ...(hasIpv6 ? [EVERYWHERE_IPV6] : [])], except);
}

/** Any address, of private networks too, for what the platform knows by a name only. */
export function anyAddress(): Peer[] {
  return addresses([EVERYWHERE]);
}

/** Addresses of nodes: those of private networks. */
export function privateNetworks({ privateCidrs }: Pick<ClusterNetworks, "privateCidrs">): Peer[] {
  return addresses([...PRIVATE, ...privateCidrs]);
}

/** The Kubernetes API server. Its address is not selectable by labels, and is outside the pod network. */
export function kubernetesApi(
  name: string,
  pods: Labels,
  { apiServerCidrs }: Pick<ClusterNetworks, "apiServerCidrs">,
): Allowance {
  const to = apiServerCidrs.length > 0 ? addresses(apiServerCidrs) : anyAddress();
  const reason = "They use the Kubernetes API, whose address no selector matches";
  return { name, reason, pods, to, ports: [{ port: 443 }, { port: 6443 }] };
}

/**
 * Peers for networks, never the metadata services. The API server takes an exception only inside of its network, and one
 * that lies in another says nothing.
 *
 * @throws Error when nothing is left: a rule without peers would let through everything.
 */
function addresses(cidrs: readonly string[], except: readonly string[] = []): Peer[] {
  const holes = outermost([...except, ...METADATA_SERVICES]);
  const peers = outermost(cidrs)
    .filter(({ network }) => !holes.some((hole) => contains(hole.network, network)))
    .map(({ cidr, network }) => {
      const inside = holes.filter((hole) => contains(network, hole.network)).map((hole) => hole.cidr);
      return { cidr, ...(inside.length > 0 && { except: inside }) };
    });
  if (peers.length === 0) {
    throw new Error(`no address is left of ${cidrs.join(", ")}: all are of metadata services, or excepted`);
  }
  return peers;
}

/** Networks as the API server wants them written, each once, without those inside of another. */
function outermost(cidrs: readonly string[]): { readonly cidr: string; readonly network: Network }[] {
  const known = [...new Set(cidrs.map((cidr) => canonicalCidr(cidr) ?? cidr))].map((cidr) => {
    const network = parseCidr(cidr);
    if (network === undefined) throw new Error(`"${cidr}" is no network in CIDR form`);
    return { cidr, network };
  });
  return known.filter(({ network }, i) => !known.some((other, j) => j !== i && contains(other.network, network)));
}

/** Admission webhooks: the API server calls from addresses that no selector matches. */
export function fromKubernetesApi(name: string, pods: Labels, ports: readonly Port[]): Allowance {
  const reason = "The API server calls this webhook, from addresses that no selector matches";
  return { name, reason, pods, from: [{ cidr: "0.0.0.0/0" }], ports };
}

/** Spec of the NetworkPolicy that grants an allowance. */
export function networkPolicySpec(
  allowance: Omit<Allowance, "name" | "reason">,
): pulumi.Unwrap<kubernetes.types.input.networking.v1.NetworkPolicySpec> {
  const ports = allowance.ports?.map(({ port, protocol }) => ({ port, protocol: protocol ?? "TCP" }));
  return {
    podSelector: selector(allowance.pods),
    policyTypes: [...(allowance.from ? ["Ingress"] : []), ...(allowance.to ? ["Egress"] : [])],
    ...(allowance.from && { ingress: [{ from: allowance.from.map(peer), ...(ports && { ports }) }] }),
    ...(allowance.to && { egress: [{ to: allowance.to.map(peer), ...(ports && { ports }) }] }),
  };
}

function peer(p: Peer): pulumi.Unwrap<Rule> {
  if ("cidr" in p) {
    return { ipBlock: { cidr: p.cidr, ...(p.except && { except: [...p.except] }) } };
  }
  if ("namespace" in p) {
    return {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": p.namespace } },
      ...(p.pods && { podSelector: selector(p.pods) }),
    };
  }
  if ("anyNamespace" in p) {
    return { namespaceSelector: {}, ...(p.pods && { podSelector: selector(p.pods) }) };
  }
  return { podSelector: selector(p.pods) };
}

/** Pods with these labels; all, where there are none. */
function selector(labels: Labels) {
  return Object.keys(labels).length > 0 ? { matchLabels: { ...labels } } : {};
}
