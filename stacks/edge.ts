import { ExistingCluster } from "../components/cluster/existing-cluster";
import { Platform } from "./platform";
import type { StackArgs } from "./program";

/** One machine of one's own with k3s on it, whose kubeconfig is at hand. */
export function edge(args: StackArgs): Platform {
  // k3s ships this class; it keeps volumes on the machine's own (LUKS-encrypted) disk.
  const { storageClass = "local-path", ...config } = args.environment.cluster;
  const cluster = new ExistingCluster("cluster", { ...config, storageClass });
  return new Platform("platform", { cluster, ...args }, { provider: cluster.provider });
}
