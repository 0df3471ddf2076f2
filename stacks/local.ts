import { ExistingCluster } from "../components/cluster/existing-cluster";
import { Platform } from "./platform";
import type { StackArgs } from "./program";

/** Whatever cluster the kubeconfig points at: k3s, kind, a managed cluster that somebody else runs. */
export function local(args: StackArgs): Platform {
  const cluster = new ExistingCluster("cluster", args.environment.cluster);
  return new Platform("platform", { cluster, ...args }, { provider: cluster.provider });
}
