import type { ClusterNetworks } from "../../core/network";
import type { OkeNetworks } from "./settings";

/** Address ranges around the cluster: those of the environment first, then its own networks. */
export function okeClusterNetworks(
  { vcn, services, subnets }: OkeNetworks,
  { privateCidrs, apiServerCidrs }: ClusterNetworks,
): ClusterNetworks {
  return {
    privateCidrs: [...new Set([...privateCidrs, vcn, services])],
    apiServerCidrs: apiServerCidrs.length > 0 ? apiServerCidrs : [subnets.endpoint, services],
  };
}
