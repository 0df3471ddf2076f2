import type { ClusterNetworks } from "../../core/network";
import type { EksNetworks } from "./settings";

/** Which addresses mean what around a cluster of these networks: its own come after those that the environment names. */
export function eksClusterNetworks(
  { vpc, services, subnets }: Pick<EksNetworks, "vpc" | "services" | "subnets">,
  { privateCidrs, apiServerCidrs }: ClusterNetworks,
): ClusterNetworks {
  return {
    privateCidrs: [...new Set([...privateCidrs, vpc, services])],
    apiServerCidrs: apiServerCidrs.length > 0 ? apiServerCidrs : [...Object.values(subnets.controlPlane), services],
  };
}
