import { VF_ADDRESSES } from "../catalog/sriov";
import { readClusterOutputs } from "../components/cluster/cluster-mismatch";
import {
  CLUSTER_OUTPUT,
  CLUSTER_OUTPUT_VERSION,
  type WrittenClusterOutputs,
} from "../components/cluster/cluster-outputs";
import { okeClusterNetworks } from "../components/cluster/oke/cluster-networks";
import { okeVolumeClass } from "../components/cluster/oke/volume-class";
import { plannedPools } from "../components/cluster/planned-pools";
import { VOLUME_CLASS } from "../components/cluster/volume-class-name";
import type { ClusterKind, PoolPlan } from "../planner/types";
import type { ClusterConfig } from "./config";
import { USUAL_OKE_ADDRESSES } from "./config/core/oke-addresses";

export { CLUSTER_OUTPUT };

type OfKind = Omit<WrittenClusterOutputs, "version" | "kind" | "pools">;

/**
 * What another stack would say of its cluster if it had made the one that this environment plans for: nobody asks it in an
 * offline run. A cluster that this program cannot make is assumed to have no more than every cluster has.
 *
 * @param made stand-in of a value that only a deployment knows.
 */
export function assumedClusterOutputs(
  { kind }: Pick<ClusterConfig, "kind">,
  pools: readonly PoolPlan[],
  made: (path: string) => string,
): WrittenClusterOutputs {
  return {
    version: CLUSTER_OUTPUT_VERSION,
    kind,
    kubeconfig: made("kubeconfig"),
    clusterIdentifier: made("clusterIdentifier"),
    pools: plannedPools(pools),
    ...OF_KIND[kind](made),
  };
}

const PLAIN: OfKind = {
  volumesGrow: false,
  privateCidrs: [],
  apiServerCidrs: [],
  networkPolicies: "present",
  gpuSoftware: "present",
  loadBalancer: "plain",
};

const OF_KIND: Readonly<Record<ClusterKind, (made: (path: string) => string) => OfKind>> = {
  local: () => PLAIN,
  edge: () => PLAIN,
  aws: () => ({ ...PLAIN, volumesGrow: true, loadBalancer: "aws" }),
  oci: (made) => ({
    storageClass: VOLUME_CLASS,
    volumeClass: okeVolumeClass(made("volumeClass.parameters.kms-key-id")),
    volumesGrow: true,
    ...okeClusterNetworks(USUAL_OKE_ADDRESSES, { privateCidrs: [], apiServerCidrs: [] }),
    rdmaCidr: VF_ADDRESSES.subnet,
    networkPolicies: "platform",
    gpuSoftware: "addon",
    loadBalancer: "oke",
  }),
};

/**
 * Checks what somebody read of the cluster that another stack made.
 *
 * @throws ClusterMismatchError with everything that does not fit.
 */
export function checkClusterOutputs(
  { said, value }: { readonly said: string; readonly value: unknown },
  { kind }: Pick<ClusterConfig, "kind">,
  pools: readonly PoolPlan[],
): void {
  readClusterOutputs(value, said, { kind, pools });
}
