import { EksCluster } from "../components/cluster/eks/cluster";
import { eksProvider } from "../components/cluster/eks/provider";
import { ExistingCluster } from "../components/cluster/existing-cluster";
import { awsLoadBalancer } from "../components/cluster/load-balancers";
import type { Cluster } from "../components/core/cluster";
import type { ClusterConfig } from "./config";
import { eksPools } from "./eks-pools";
import { eksSettings } from "./eks-settings";
import { existingCluster } from "./existing-cluster";
import type { StackArgs } from "./platform";

/** EKS, provisioned or existing. Pods find a pool by the instance-type label of nodes. */
export function aws(config: ClusterConfig<"aws">, { environment, plan, awsProvider }: StackArgs): Cluster {
  const { gpuExporters, privateCidrs, apiServerCidrs, storageClass } = config;
  const settings = eksSettings(config, plan);
  if (settings !== undefined) {
    return new EksCluster("cluster", {
      provider: awsProvider ?? eksProvider(settings),
      settings,
      pools: eksPools(environment.pools, plan, settings.zones),
      storageClass,
      gpuExporters,
      privateCidrs,
      apiServerCidrs,
    });
  }
  return new ExistingCluster("cluster", {
    ...existingCluster(config, plan.pools),
    volumesGrow: true,
    loadBalancer: awsLoadBalancer,
  });
}
