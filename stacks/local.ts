import { mirrored } from "../catalog/image-mirror";
import { localClusterTool } from "../catalog/local-clusters";
import { ExistingCluster } from "../components/cluster/existing-cluster";
import { LocalCluster } from "../components/cluster/local/cluster";
import type { Cluster } from "../components/core/cluster";
import type { ClusterConfig } from "./config";
import { existingCluster } from "./existing-cluster";
import type { StackArgs } from "./platform";

/** A cluster in a container of this computer, or any kubeconfig context: k3s, kind, others. */
export function local(config: ClusterConfig<"local">, { environment, plan }: StackArgs): Cluster {
  if (config.provision !== "create") {
    return new ExistingCluster("cluster", existingCluster(config, plan.pools));
  }
  if (config.local === undefined) {
    throw new Error("provision: create without local: validation should have refused it");
  }
  const { storageClass, gpuExporters, privateCidrs, apiServerCidrs } = config;
  const { tool, engine } = config.local;
  const nodeImage = mirrored(localClusterTool(tool).nodeImage, environment.images);
  return new LocalCluster("cluster", {
    settings: { environment: plan.environment, tool, engine, nodeImage },
    pools: plan.pools,
    storageClass,
    gpuExporters,
    privateCidrs,
    apiServerCidrs,
  });
}
