import { ExistingCluster } from "../components/cluster/existing-cluster";
import { awsLoadBalancer } from "../components/cluster/load-balancers";
import type { Cluster } from "../components/core/cluster";
import type { ClusterConfig } from "./config";
import { existingCluster } from "./existing-cluster";
import type { StackArgs } from "./platform";

/** EKS. The cluster and its pools must exist; pods find a pool by the instance-type label of every node. */
export function aws(config: ClusterConfig<"aws">, args: StackArgs): Cluster {
  return new ExistingCluster("cluster", {
    ...existingCluster(config, args.plan.pools),
    volumesGrow: true,
    loadBalancer: awsLoadBalancer,
  });
}
