import { ExistingCluster } from "../components/cluster/existing-cluster";
import type { ClusterConfig } from "./config";
import { existingCluster } from "./existing-cluster";
import { Platform, type StackArgs } from "./platform";

/** One machine of one's own with k3s on it, whose kubeconfig is at hand. */
export function edge(config: ClusterConfig<"edge">, args: StackArgs): Platform {
  const cluster = new ExistingCluster("cluster", existingCluster(config));
  return new Platform("platform", { cluster, ...args }, { provider: cluster.provider });
}
