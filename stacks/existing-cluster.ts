import type { ExistingClusterArgs } from "../components/cluster/existing-cluster";
import type { PoolPlan } from "../planner/types";
import type { ClusterConfig } from "./config";

/** Settings of an existing cluster of any kind. */
export function existingCluster(config: ClusterConfig, pools: readonly PoolPlan[]): ExistingClusterArgs {
  const { kubeContext, storageClass, gpuSoftware, gpuExporters, privateCidrs, apiServerCidrs } = config;
  return { kubeContext, storageClass, gpuSoftware, gpuExporters, privateCidrs, apiServerCidrs, pools };
}
