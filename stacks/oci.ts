import { ExistingCluster } from "../components/cluster/existing-cluster";
import { ociLoadBalancer } from "../components/cluster/load-balancers";
import { Platform } from "./platform";
import type { StackArgs } from "./program";

/** OKE. The cluster and its pools must exist; pods find a pool by the shape label that OKE puts on every node. */
export function oci(args: StackArgs): Platform {
  // Encrypted block volumes; the CSI driver of every OKE cluster provides this class.
  const { storageClass = "oci-bv", ...config } = args.environment.cluster;
  const cluster = new ExistingCluster("cluster", {
    ...config,
    storageClass,
    volumesGrow: true,
    loadBalancer: ociLoadBalancer,
  });
  return new Platform("platform", { cluster, ...args }, { provider: cluster.provider });
}
