/** Where the SDK's comments say another thing than the provider does. */
export interface Correction {
  /** Token of the resource. */
  readonly type: string;
  /** Of arguments; one that ends in `*` is every path that begins so. */
  readonly paths: readonly string[];
  /** What a change of them does. */
  readonly means: "replacement" | "update";
}

/** What they are read from. */
export const CORRECTIONS_SOURCE =
  "oracle/terraform-provider-oci:internal/service@8de3c480b4bf08d8edd40ef0cc4ad0340bd01721 (8.28.0)";

/**
 * Found by comparing the `ForceNew` of every argument of these resources with the SDK's comments, 2026-11-23. Arguments that we
 * never set (restores of keys, IPv6) are left as the SDK has them.
 */
export const CORRECTIONS: readonly Correction[] = [
  // The comments of the whole endpoint lack "(Updatable)"; another subnet alone makes the provider ask for a new cluster, in its
  // CustomizeDiff.
  {
    type: "oci:ContainerEngine/cluster:Cluster",
    paths: [
      "endpointConfig",
      "endpointConfig.isPublicIpEnabled",
      "endpointConfig.nsgIds",
      "endpointConfig.securityAttributes",
      "options.addOns*",
    ],
    means: "update",
  },
  {
    type: "oci:ContainerEngine/nodePool:NodePool",
    paths: ["nodeConfigDetails.nodePoolPodNetworkOptionDetails.cniType"],
    means: "replacement",
  },
  {
    type: "oci:ContainerEngine/addon:Addon",
    paths: ["overrideExisting", "removeAddonResourcesOnDelete"],
    means: "update",
  },
  // Rules have no comment that says so, and a function that updates them: only the group itself is ForceNew.
  {
    type: "oci:Core/networkSecurityGroupSecurityRule:NetworkSecurityGroupSecurityRule",
    paths: [
      "description",
      "destination*",
      "direction",
      "icmpOptions*",
      "protocol",
      "source*",
      "stateless",
      "tcpOptions*",
      "udpOptions*",
    ],
    means: "update",
  },
  {
    type: "oci:Core/securityList:SecurityList",
    paths: [
      "egressSecurityRules.tcpOptions.*",
      "egressSecurityRules.udpOptions.*",
      "ingressSecurityRules.tcpOptions.*",
      "ingressSecurityRules.udpOptions.*",
    ],
    means: "update",
  },
  {
    type: "oci:Core/computeCluster:ComputeCluster",
    paths: [
      "placementConstraintDetails.logicalPlacementConstraint",
      "placementConstraintDetails.targetMemoryFabricIds",
      "placementConstraintDetails.targetNetworkBlockIds",
    ],
    means: "update",
  },
  { type: "oci:Core/subnet:Subnet", paths: ["ipv4cidrBlocks"], means: "update" },
];
