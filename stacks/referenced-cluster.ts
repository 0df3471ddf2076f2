import { ReferencedCluster, referencedOutputs } from "../components/cluster/referenced-cluster";
import type { Cluster } from "../components/core/cluster";
import type { ClusterConfig } from "./config";
import type { StackArgs } from "./platform";

export async function referencedCluster(config: ClusterConfig, { plan }: StackArgs): Promise<Cluster> {
  const { kind, stackReference, kubeContext, storageClass, gpuExporters, privateCidrs, apiServerCidrs } = config;
  if (stackReference === undefined) {
    throw new Error("provision: stack without stackReference: validation should have refused it");
  }
  const outputs = await referencedOutputs(stackReference, { kind, pools: plan.pools });
  return new ReferencedCluster("cluster", {
    outputs,
    kubeContext,
    storageClass,
    gpuExporters,
    privateCidrs,
    apiServerCidrs,
  });
}
