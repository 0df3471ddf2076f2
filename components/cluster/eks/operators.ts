import { isPrivateNetwork } from "../../../names/cidr";
import type { EksEndpoint } from "./settings";

/** By which way the operators' networks reach the Kubernetes API. */
export interface OperatorNetworks {
  /** Over the internet, to the public endpoint. */
  readonly overInternet: readonly string[];
  /** Through the cluster's own network, to the private endpoint: a VPN, a peered network, a bastion host. */
  readonly overNetwork: readonly string[];
}

/**
 * Private addresses come from inside: on the internet there are none, and EKS refuses them in the list of the public endpoint:
 * "The following CIDRs are not allowed in publicAccessCidrs: [10.1.0.128/27, …]", as users of it report in public Terraform
 * code (read 2026-11-23; Amazon's own page was not to be had). Without a public endpoint all of them come from inside.
 */
export function operatorNetworks({ public: isPublic, allowedCidrs }: EksEndpoint): OperatorNetworks {
  const all = [...new Set(allowedCidrs)];
  const outside = all.filter((cidr) => isPublic && !isPrivateNetwork(cidr));
  return { overInternet: outside, overNetwork: all.filter((cidr) => !outside.includes(cidr)) };
}
