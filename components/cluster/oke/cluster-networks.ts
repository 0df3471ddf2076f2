import type { ClusterNetworks } from "../../core/network";
import type { OkeNetworks } from "./settings";

/** Which addresses mean what around a cluster of these networks: its own come after those that the environment names. */
export function okeClusterNetworks(
  { vcn, services, subnets }: OkeNetworks,
  { privateCidrs, apiServerCidrs }: ClusterNetworks,
): ClusterNetworks {
  return {
    privateCidrs: [...new Set([...privateCidrs, vcn, services])],
    apiServerCidrs: apiServerCidrs.length > 0 ? apiServerCidrs : [subnets.endpoint, services],
  };
}
