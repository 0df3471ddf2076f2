import { ExistingCluster } from "../components/cluster/existing-cluster";
import { K3sCluster } from "../components/cluster/k3s/cluster";
import type { Cluster } from "../components/core/cluster";
import type { ClusterConfig } from "./config";
import { existingCluster } from "./existing-cluster";
import { k3sSettings } from "./k3s-settings";
import type { StackArgs } from "./platform";

/** k3s on an own machine: installed over SSH, or by its kubeconfig. */
export function edge(config: ClusterConfig<"edge">, args: StackArgs): Cluster {
  const { plan } = args;
  const settings = k3sSettings(config, args);
  if (settings === undefined) {
    return new ExistingCluster("cluster", existingCluster(config, plan.pools));
  }
  const { storageClass, gpuExporters, privateCidrs, apiServerCidrs } = config;
  return new K3sCluster("cluster", {
    settings,
    pools: plan.pools,
    storageClass,
    gpuExporters,
    privateCidrs,
    apiServerCidrs,
  });
}
