import { BlockList, isIP } from "node:net";
import { z } from "zod";

/** What NetworkPolicies let through, by the rules of Kubernetes (not of one network plugin), from their objects alone. */

const labels = z.record(z.string(), z.string());
const selector = z.object({ matchLabels: labels.default({}) });
const peer = z.strictObject({
  namespaceSelector: selector.optional(),
  podSelector: selector.optional(),
  ipBlock: z.object({ cidr: z.string(), except: z.array(z.string()).default([]) }).optional(),
});
const ports = z.array(z.object({ port: z.number(), protocol: z.enum(["TCP", "UDP"]) })).optional();
const policy = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string() }),
  spec: z.object({
    podSelector: selector,
    policyTypes: z.array(z.enum(["Ingress", "Egress"])),
    ingress: z.array(z.strictObject({ from: z.array(peer).default([]), ports })).default([]),
    egress: z.array(z.strictObject({ to: z.array(peer).default([]), ports })).default([]),
  }),
});

export type NetworkPolicy = z.output<typeof policy>;
export type PolicyPeer = z.output<typeof peer>;

/** A pod with nothing but what policies look at. */
export interface Pod {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Something outside of the cluster, or a node. */
export interface Address {
  readonly address: string;
}

export interface PortAt {
  readonly port: number;
  readonly protocol: "TCP" | "UDP";
}

/** @throws z.ZodError for an object that is no NetworkPolicy, or has fields that this file does not know. */
export function parsePolicy(object: unknown): NetworkPolicy {
  return policy.parse(object);
}

/** Whether a connection is let out at its one end and let in at its other. */
export function allows(
  policies: readonly NetworkPolicy[],
  from: Pod | Address,
  to: Pod | Address,
  at: PortAt,
): boolean {
  return isLetThrough(policies, "Egress", from, to, at) && isLetThrough(policies, "Ingress", to, from, at);
}

function isLetThrough(
  policies: readonly NetworkPolicy[],
  direction: "Ingress" | "Egress",
  subject: Pod | Address,
  other: Pod | Address,
  at: PortAt,
): boolean {
  if ("address" in subject) {
    return true;
  }
  const selecting = policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === subject.namespace &&
      spec.policyTypes.includes(direction) &&
      carries(subject.labels, spec.podSelector.matchLabels),
  );
  const rules = selecting.flatMap(({ metadata, spec }) =>
    rulesOf(spec, direction).map((rule) => ({ ...rule, namespace: metadata.namespace })),
  );
  return (
    selecting.length === 0 ||
    rules.some(
      (rule) =>
        (rule.ports ?? [at]).some(({ port, protocol }) => port === at.port && protocol === at.protocol) &&
        (rule.peers.length === 0 || rule.peers.some((end) => isPeer(end, other, rule.namespace))),
    )
  );
}

/** Rules of one direction, in one form. */
export function rulesOf(
  { ingress, egress }: NetworkPolicy["spec"],
  direction: "Ingress" | "Egress",
): { readonly peers: readonly PolicyPeer[]; readonly ports: readonly PortAt[] | undefined }[] {
  return direction === "Ingress"
    ? ingress.map((rule) => ({ peers: rule.from, ports: rule.ports }))
    : egress.map((rule) => ({ peers: rule.to, ports: rule.ports }));
}

function isPeer({ ipBlock, namespaceSelector, podSelector }: PolicyPeer, other: Pod | Address, own: string): boolean {
  if (ipBlock !== undefined) {
    return "address" in other && holds([ipBlock.cidr], other.address) && !holds(ipBlock.except, other.address);
  }
  return (
    "namespace" in other &&
    (namespaceSelector === undefined
      ? other.namespace === own
      : carries({ [NAMESPACE_LABEL]: other.namespace }, namespaceSelector.matchLabels)) &&
    carries(other.labels, podSelector?.matchLabels ?? {})
  );
}

const NAMESPACE_LABEL = "kubernetes.io/metadata.name";

/** The weakest pod that a peer means: with the labels that it asks for and no other. Undefined for addresses and any namespace. */
export function weakestPod({ ipBlock, namespaceSelector, podSelector }: PolicyPeer, own: string): Pod | undefined {
  const namespace = namespaceSelector === undefined ? own : namespaceSelector.matchLabels[NAMESPACE_LABEL];
  return ipBlock !== undefined || namespace === undefined
    ? undefined
    : { namespace, labels: podSelector?.matchLabels ?? {} };
}

function carries(carried: Pod["labels"], wanted: Pod["labels"]): boolean {
  return Object.entries(wanted).every(([key, value]) => carried[key] === value);
}

/** Whether one of the networks has the address in it. */
export function holds(cidrs: readonly string[], address: string): boolean {
  const family = familyOf(address);
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network = "", prefix] = cidr.split("/");
    // To a BlockList, every IPv4 address is one of IPv6 too.
    if (familyOf(network) === family) {
      list.addSubnet(network, Number(prefix), family);
    }
  }
  return list.check(address, family);
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}
