import { ExistingCluster } from "../components/cluster/existing-cluster";
import { awsLoadBalancer } from "../components/cluster/load-balancers";
import type { ClusterConfig } from "./config";
import { existingCluster } from "./existing-cluster";
import { Platform, type StackArgs } from "./platform";

/** EKS. The cluster and its pools must exist; pods find a pool by the instance-type label of every node. */
export function aws(config: ClusterConfig<"aws">, args: StackArgs): Platform {
  const cluster = new ExistingCluster("cluster", {
    ...existingCluster(config),
    volumesGrow: true,
    loadBalancer: awsLoadBalancer,
  });
  return new Platform("platform", { cluster, ...args }, { provider: cluster.provider });
}
