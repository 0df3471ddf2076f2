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
 * Machine settings of a pool. Separate classes, because disks differ.
 *
 * @param ground Karpenter's cloud resources.
 */
export function ec2NodeClass(
  pool: EksPool,
  { nodeImage, nodeRoleName, discovery, volumesKeyArn, tags }: KarpenterGround,
): DeepInput<NonNullable<IEC2NodeClass["spec"]>> {
  const { plan, bootVolumeGiB, efa } = pool;
  const userData = nodeConfig(pool);
  const found = { tags: { [discovery.key]: discovery.value } };
  return {
    // Pinned by date: with the newest image, every release would replace nodes.
    amiSelectorTerms: [{ alias: `al2023@${nodeImage}` }],
    role: nodeRoleName,
    subnetSelectorTerms: [found],
    // Matches any term: EFA has a separate group in addition to the cluster's.
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
    // Pods must not reach node credentials, one hop further: they use Pod Identity.
    metadataOptions: {
      httpEndpoint: "enabled",
      httpProtocolIPv6: "disabled",
      httpPutResponseHopLimit: 1,
      httpTokens: "required",
    },
    detailedMonitoring: false,
    // Karpenter appends its NodeConfig, and nodeadm merges both (v1.14.1,
    // amifamily/bootstrap/nodeadm.go).
    ...(userData !== undefined && { userData }),
    tags: { ...tags },
  };
}

/**
 * The primary interface, and an EFA-only one per network card: Karpenter adds only as many as the
 * first pods request (aws/karpenter-provider-aws#2440). p5 allows only indexes 0 and 1
 * (eksctl-io/eksctl#7520).
 *
 * @throws Error if the shape has no EFA.
 */
function nodeInterfaces(shape: MachineShape): readonly NodeInterface[] {
  return [
    { networkCardIndex: 0, deviceIndex: 0, interfaceType: "interface" },
    ...efaCards(shape).map(
      (networkCardIndex): NodeInterface => ({ networkCardIndex, deviceIndex: 1, interfaceType: "efa-only" }),
    ),
  ];
}
