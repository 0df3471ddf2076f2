import { ExistingCluster } from "../components/cluster/existing-cluster";
import type { Cluster } from "../components/core/cluster";
import type { ClusterConfig } from "./config";
import { existingCluster } from "./existing-cluster";
import type { StackArgs } from "./platform";

/** One machine of one's own with k3s on it, whose kubeconfig is at hand. */
export function edge(config: ClusterConfig<"edge">, args: StackArgs): Cluster {
  return new ExistingCluster("cluster", existingCluster(config, args.plan.pools));
}
