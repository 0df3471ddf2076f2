import { contains, PRIVATE_IPV4, parseCidr, SHARED_IPV4 } from "../../../names/cidr";
import type { EksEndpoint } from "./settings";

/** By which way the operators' networks reach the Kubernetes API. */
export interface OperatorNetworks {
  /** Over the internet, to the public endpoint. */
  readonly overInternet: readonly string[];
  /** Through the cluster's own network, to the private endpoint: a VPN, a peered network, a bastion host. */
  readonly overNetwork: readonly string[];
}

const PRIVATE = [...PRIVATE_IPV4, SHARED_IPV4];

/**
 * Private addresses come from inside: on the internet there are none, and EKS refuses them in the list of the public
 * endpoint. Without a public endpoint all of them come from inside.
 */
export function operatorNetworks({ public: isPublic, allowedCidrs }: EksEndpoint): OperatorNetworks {
  const all = [...new Set(allowedCidrs)];
  const outside = all.filter((cidr) => isPublic && !isPrivateNetwork(cidr));
  return { overInternet: outside, overNetwork: all.filter((cidr) => !outside.includes(cidr)) };
}

/** Whether a network in CIDR form lies in the ranges that the internet does not route (RFC 1918, RFC 6598). */
export function isPrivateNetwork(cidr: string): boolean {
  const network = parseCidr(cidr);
  return network !== undefined && PRIVATE.some((range) => contains(known(range), network));
}

function known(cidr: string) {
  const network = parseCidr(cidr);
  if (network === undefined) {
    throw new Error(`${cidr} is no network`);
  }
  return network;
}
