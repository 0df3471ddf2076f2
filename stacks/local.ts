import { ExistingCluster } from "../components/cluster/existing-cluster";
import type { ClusterConfig } from "./config";
import { existingCluster } from "./existing-cluster";
import { Platform, type StackArgs } from "./platform";

/** Whatever cluster the kubeconfig points at: k3s, kind, a managed cluster that somebody else runs. */
export function local(config: ClusterConfig<"local">, args: StackArgs): Platform {
  const cluster = new ExistingCluster("cluster", existingCluster(config));
  return new Platform("platform", { cluster, ...args }, { provider: cluster.provider });
}
