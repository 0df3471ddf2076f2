import type { MachineShape } from "../../catalog/shapes";
import { efaCards } from "../cluster/eks/efa";
import type { EksPool } from "../cluster/eks/settings";
import { EFA_TAG } from "../cluster/eks/tags";
import { nodeConfig, ROOT_DEVICE } from "../cluster/eks/user-data";
import type { KarpenterGround } from "../core/cluster";
import type { DeepInput } from "../core/custom-resource";
import { gibibytes } from "../core/resources";
import type { IEC2NodeClass, NodeInterface } from "./karpenter-types";

export const EC2_NODE_CLASS = { group: "karpenter.k8s.aws", kind: "EC2NodeClass" } as const;

/**
 * What machines of a pool are made from. A pool has one of its own: their disks differ.
 *
 * @param ground what was made for Karpenter in the cloud.
 */
export function ec2NodeClass(
  pool: EksPool,
  { nodeImage, nodeRoleName, discovery, volumesKeyArn, tags }: KarpenterGround,
): DeepInput<NonNullable<IEC2NodeClass["spec"]>> {
  const { plan, bootVolumeGiB, efa } = pool;
  const userData = nodeConfig(pool);
  const found = { tags: { [discovery.key]: discovery.value } };
  return {
    // A date, never the newest one: that would replace nodes whenever Amazon publishes an image.
    amiSelectorTerms: [{ alias: `al2023@${nodeImage}` }],
    role: nodeRoleName,
    subnetSelectorTerms: [found],
    // Any of them: EFA has a group of its own beside the cluster's.
    securityGroupSelectorTerms: [found, ...(efa ? [{ tags: { [EFA_TAG]: discovery.value } }] : [])],
    associatePublicIPAddress: false,
    blockDeviceMappings: [
      {
        deviceName: ROOT_DEVICE,
        rootVolume: true,
        ebs: {
          encrypted: true,
          kmsKeyID: volumesKeyArn,
          volumeSize: gibibytes(bootVolumeGiB),
          volumeType: "gp3",
          deleteOnTermination: true,
        },
      },
    ],
    ...(plan.localDisks && { instanceStorePolicy: "RAID0" as const }),
    ...(efa && { networkInterfaces: [...nodeInterfaces(plan.shape)] }),
    // Pods have their rights from Pod Identity: none of them is to reach those of the node, one hop further.
    metadataOptions: {
      httpEndpoint: "enabled",
      httpProtocolIPv6: "disabled",
      httpPutResponseHopLimit: 1,
      httpTokens: "required",
    },
    detailedMonitoring: false,
    // Karpenter puts its own NodeConfig behind it, and nodeadm merges both (v1.14.1, amifamily/bootstrap/nodeadm.go).
    ...(userData !== undefined && { userData }),
    tags: { ...tags },
  };
}

/**
 * The interface with the node's address, and one of EFA alone on each network card: left to itself, Karpenter gives a machine
 * as many as its first pods ask for (aws/karpenter-provider-aws#2440). No index but 0 and 1 is allowed on p5 (eksctl-io/eksctl#7520).
 *
 * @throws Error where the shape has no EFA.
 */
function nodeInterfaces(shape: MachineShape): readonly NodeInterface[] {
  return [
    { networkCardIndex: 0, deviceIndex: 0, interfaceType: "interface" },
    ...efaCards(shape).map(
      (networkCardIndex): NodeInterface => ({ networkCardIndex, deviceIndex: 1, interfaceType: "efa-only" }),
    ),
  ];
}
