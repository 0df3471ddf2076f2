import { ExistingCluster } from "../components/cluster/existing-cluster";
import type { Cluster } from "../components/core/cluster";
import type { ClusterConfig } from "./config";
import { existingCluster } from "./existing-cluster";
import type { StackArgs } from "./platform";

/** Whatever cluster the kubeconfig points at: k3s, kind, a managed cluster that somebody else runs. */
export function local(config: ClusterConfig<"local">, args: StackArgs): Cluster {
  return new ExistingCluster("cluster", existingCluster(config, args.plan.pools));
}
