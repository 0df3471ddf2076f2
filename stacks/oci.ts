import { ExistingCluster } from "../components/cluster/existing-cluster";
import { ociLoadBalancer } from "../components/cluster/load-balancers";
import { OkeCluster } from "../components/cluster/oke/cluster";
import type { Cluster } from "../components/core/cluster";
import type { ClusterConfig } from "./config";
import { existingCluster } from "./existing-cluster";
import { okePools } from "./oke-pools";
import { okeSettings } from "./oke-settings";
import type { StackArgs } from "./platform";

/** OKE, provisioned or existing. Pods find a pool by OKE's shape label on nodes. */
export function oci(config: ClusterConfig<"oci">, { environment, plan }: StackArgs): Cluster {
  const { gpuExporters, privateCidrs, apiServerCidrs } = config;
  const settings = okeSettings(config, plan, environment);
  if (settings !== undefined) {
    return new OkeCluster("cluster", {
      settings,
      pools: okePools(environment.pools, plan),
      storageClass: config.storageClass,
      gpuExporters,
      privateCidrs,
      apiServerCidrs,
    });
  }
  return new ExistingCluster("cluster", {
    ...existingCluster(config, plan.pools),
    storageClass: config.storageClass ?? "oci-bv",
    volumesGrow: true,
    loadBalancer: ociLoadBalancer,
  });
}
