import { EKS_NODE_IMAGE } from "../catalog/eks";
import { VF_ADDRESSES } from "../catalog/sriov";
import { readClusterOutputs } from "../components/cluster/cluster-mismatch";
import {
  CLUSTER_OUTPUT,
  CLUSTER_OUTPUT_VERSION,
  type WrittenClusterOutputs,
} from "../components/cluster/cluster-outputs";
import { eksClusterNetworks } from "../components/cluster/eks/cluster-networks";
import { DISCOVERY_TAG } from "../components/cluster/eks/tags";
import { eksVolumeClass } from "../components/cluster/eks/volume-class";
import { okeClusterNetworks } from "../components/cluster/oke/cluster-networks";
import { okeVolumeClass } from "../components/cluster/oke/volume-class";
import { plannedPools } from "../components/cluster/planned-pools";
import { VOLUME_CLASS } from "../components/cluster/volume-class-name";
import type { AwsGround } from "../components/core/cluster";
import type { ClusterKind, PoolPlan } from "../planner/types";
import type { ClusterConfig } from "./config";
import { eksAddresses, USUAL_EKS_NETWORK } from "./config/core/eks-addresses";
import { USUAL_OKE_ADDRESSES } from "./config/core/oke-addresses";

export { CLUSTER_OUTPUT };

type OfKind = Omit<WrittenClusterOutputs, "version" | "kind" | "pools">;

/**
 * Outputs that another stack would have for this environment's planned cluster, for offline runs.
 * Clusters that this program cannot create have the common minimum.
 *
 * @param made placeholder of a value known only after deployment.
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
    ...OF_KIND[kind](made, pools),
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

type Made = (path: string) => string;

const OF_KIND: Readonly<Record<ClusterKind, (made: Made, pools: readonly PoolPlan[]) => OfKind>> = {
  local: () => PLAIN,
  edge: () => PLAIN,
  aws: (made, pools) => ({
    storageClass: VOLUME_CLASS,
    volumeClass: eksVolumeClass(made("volumeClass.parameters.kmsKeyId")),
    volumesGrow: true,
    ...usualEksNetworks(),
    networkPolicies: "present",
    gpuSoftware: "platform",
    loadBalancer: "aws",
    aws: usualAwsGround(made, pools),
  }),
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

const USUAL_ZONES = ["us-east-1a", "us-east-1b", "us-east-1c"] as const;

function usualEksNetworks() {
  const { vpc, services } = USUAL_EKS_NETWORK;
  const subnets = eksAddresses(vpc, USUAL_ZONES);
  if (subnets === undefined) {
    throw new Error(`${vpc} has no room for three zones`);
  }
  return eksClusterNetworks({ vpc, services, subnets }, { privateCidrs: [], apiServerCidrs: [] });
}

function usualAwsGround(made: Made, pools: readonly PoolPlan[]): AwsGround {
  const clusterName = made("aws.clusterName");
  // Such pools scale with pods, unless capacity is reserved: the other stack knows.
  const grows = pools.some(({ role, minNodes, maxNodes }) => role !== "system" || maxNodes > minNodes);
  return {
    clusterName,
    region: "us-east-1",
    vpcId: made("aws.vpcId"),
    zones: USUAL_ZONES,
    ...(grows && {
      karpenter: {
        queueName: made("aws.karpenter.queueName"),
        nodeRoleName: made("aws.karpenter.nodeRoleName"),
        discovery: { key: DISCOVERY_TAG, value: clusterName },
        volumesKeyArn: made("aws.karpenter.volumesKeyArn"),
        nodeImage: EKS_NODE_IMAGE,
        tags: {},
      },
    }),
  };
}

/**
 * Validates another stack's outputs.
 *
 * @throws ClusterMismatchError with all mismatches.
 */
export function checkClusterOutputs(
  { said, value }: { readonly said: string; readonly value: unknown },
  { kind }: Pick<ClusterConfig, "kind">,
  pools: readonly PoolPlan[],
): void {
  readClusterOutputs(value, said, { kind, pools });
}
