import type { ClusterNetworks } from "../../core/network";
import type { EksNetworks } from "./settings";

/** Address ranges around the cluster: those of the environment first, then its own networks. */
export function eksClusterNetworks(
  { vpc, services, subnets }: Pick<EksNetworks, "vpc" | "services" | "subnets">,
  { privateCidrs, apiServerCidrs }: ClusterNetworks,
): ClusterNetworks {
  return {
    privateCidrs: [...new Set([...privateCidrs, vpc, services])],
    apiServerCidrs: apiServerCidrs.length > 0 ? apiServerCidrs : [...Object.values(subnets.controlPlane), services],
  };
}
