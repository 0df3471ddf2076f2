import { ExistingCluster } from "../components/cluster/existing-cluster";
import { ociLoadBalancer } from "../components/cluster/load-balancers";
import type { ClusterConfig } from "./config";
import { existingCluster } from "./existing-cluster";
import { Platform, type StackArgs } from "./platform";

/** OKE. The cluster and its pools must exist; pods find a pool by the shape label that OKE puts on every node. */
export function oci(config: ClusterConfig<"oci">, args: StackArgs): Platform {
  const cluster = new ExistingCluster("cluster", {
    ...existingCluster(config),
    volumesGrow: true,
    loadBalancer: ociLoadBalancer,
  });
  return new Platform("platform", { cluster, ...args }, { provider: cluster.provider });
}
