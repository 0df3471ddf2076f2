import { isPrivateNetwork } from "../../../names/cidr";
import type { EksEndpoint } from "./settings";

export interface OperatorNetworks {
  /** Over the internet, to the public endpoint. */
  readonly overInternet: readonly string[];
  /**
   * Through the cluster's network, to the private endpoint: VPN, peered network or bastion host.
   */
  readonly overNetwork: readonly string[];
}

/**
 * EKS refuses private addresses for the public endpoint: "The following CIDRs are not allowed in
 * publicAccessCidrs: [10.1.0.128/27, …]", reported in public Terraform code (read 2026-11-23;
 * Amazon's own page was not available). Without a public endpoint, all addresses are inside.
 */
export function operatorNetworks({ public: isPublic, allowedCidrs }: EksEndpoint): OperatorNetworks {
  const all = [...new Set(allowedCidrs)];
  const outside = all.filter((cidr) => isPublic && !isPrivateNetwork(cidr));
  return { overInternet: outside, overNetwork: all.filter((cidr) => !outside.includes(cidr)) };
}
