import { canonicalCidr } from "../../../names/cidr";
import { NSG_NAMES, type NsgName, type OkeConnection, type Party, type Traffic } from "./connections";
import type { OkeEndpoint, OkeLoadBalancers, OkeNetworks } from "./settings";

export type Peer =
  | { readonly kind: "group"; readonly group: NsgName }
  | { readonly kind: "cidr"; readonly cidr: string }
  /** The service gateway's "All … Services In Oracle Services Network". */
  | { readonly kind: "oracle-services" };

/** One stateful rule. */
export interface SecurityRule {
  /** Unique in its group or list, and stable. */
  readonly name: string;
  readonly direction: "INGRESS" | "EGRESS";
  readonly peer: Peer;
  readonly traffic: Traffic;
  readonly reason: string;
}

/** Addresses of parties without a group. */
export interface Addresses {
  readonly network: OkeNetworks;
  readonly endpoint: OkeEndpoint;
  readonly loadBalancers: OkeLoadBalancers;
}

/** Each connection gives a rule at each end with a group. */
export function groupRules(
  connections: readonly OkeConnection[],
  addresses: Addresses,
): Readonly<Record<NsgName, readonly SecurityRule[]>> {
  const peers = (party: Party): readonly Peer[] =>
    isGroup(party) ? [{ kind: "group", group: party }] : outsidePeers(party, addresses);
  return Object.fromEntries(
    NSG_NAMES.map((group) => [group, rulesOf(connections, (party) => party === group, peers)]),
  ) as Record<NsgName, SecurityRule[]>;
}

/** Security lists identify groups only by subnet. */
export function loadBalancerRules(
  connections: readonly OkeConnection[],
  addresses: Addresses,
): readonly SecurityRule[] {
  const { subnets } = addresses.network;
  const peers = (party: Party): readonly Peer[] =>
    isGroup(party) ? [{ kind: "cidr", cidr: subnets[party] }] : outsidePeers(party, addresses);
  return rulesOf(connections, (party) => party === "loadBalancers", peers);
}

function rulesOf(
  connections: readonly OkeConnection[],
  isOurs: (party: Party) => boolean,
  peersOf: (party: Party) => readonly Peer[],
): SecurityRule[] {
  return connections.flatMap(({ name, from, to, traffic, reason }) => {
    const rules = (direction: SecurityRule["direction"], other: Party) =>
      peersOf(other).map((peer, _, { length }): SecurityRule => {
        // Keyed by network, not by list position: a new first entry changes no other rule.
        const of = length > 1 || isListed(other) ? `-${slug(peer)}` : "";
        return { name: `${name}-${direction === "INGRESS" ? "in" : "out"}${of}`, direction, peer, traffic, reason };
      });
    return [...(isOurs(to) ? rules("INGRESS", from) : []), ...(isOurs(from) ? rules("EGRESS", to) : [])];
  });
}

function outsidePeers(
  party: Exclude<Party, NsgName>,
  { network, endpoint, loadBalancers }: Addresses,
): readonly Peer[] {
  const cidrs = (all: readonly string[]) =>
    [...new Set(all.map((cidr) => canonicalCidr(cidr) ?? cidr))].map((cidr): Peer => ({ kind: "cidr", cidr }));
  switch (party) {
    case "loadBalancers":
      return cidrs([network.subnets.loadBalancers]);
    case "internet":
      return cidrs(["0.0.0.0/0"]);
    case "operators":
      return cidrs(endpoint.allowedCidrs);
    case "clients":
      return cidrs(loadBalancers.clientCidrs);
    case "oracleServices":
      return [{ kind: "oracle-services" }];
  }
}

function isGroup(party: Party): party is NsgName {
  return NSG_NAMES.some((name) => name === party);
}

/** Parties defined by a list in the environment file. */
function isListed(party: Party): boolean {
  return party === "operators" || party === "clients";
}

function slug(peer: Peer): string {
  return peer.kind === "cidr" ? peer.cidr.replaceAll(/[./]/g, "-") : peer.kind;
}
