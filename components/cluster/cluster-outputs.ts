import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { FABRIC_ACCESS } from "../../catalog/fabrics";
import type { ClusterKind } from "../../planner/types";
import type { Cluster } from "../core/cluster";
import { LOAD_BALANCER_NAMES, loadBalancerName } from "./load-balancers";

/** Output through which a cluster stack describes its cluster to other stacks. */
export const CLUSTER_OUTPUT = "cluster";

/** Increment when a key is removed or changes meaning, not for new optional keys. */
export const CLUSTER_OUTPUT_VERSION = 1;

const KINDS = ["local", "oci", "aws", "edge"] as const satisfies readonly ClusterKind[];

const texts = z.record(z.string(), z.string()).readonly();
const networks = z.array(z.union([z.cidrv4(), z.cidrv6()])).readonly();
const nodes = z.int().min(0);

const taints = z
  .array(
    z.object({
      key: z.string(),
      value: z.string().optional(),
      effect: z.enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
    }),
  )
  .readonly()
  .default([]);

const gpuResource = z.union([
  z.enum(["nvidia.com/gpu", "amd.com/gpu", "nvidia.com/gpu.shared"]),
  z.templateLiteral(["nvidia.com/mig-", z.string()]),
]);

const poolOutput = z.object({
  shape: z.string(),
  minNodes: nodes,
  maxNodes: nodes,
  labels: texts.default({}),
  taints,
  startupTaints: taints,
  fabric: z
    .object({
      kind: z.enum(["roce", "efa"]),
      access: z.enum(FABRIC_ACCESS),
      gbps: z.number(),
      device: z.object({ resource: z.string(), perNode: nodes, network: z.string().optional() }),
      topologyLabel: z.string().optional(),
      environment: texts,
    })
    .optional(),
  gpus: z.object({ resource: gpuResource, perNode: nodes }).optional(),
});

/**
 * Description of a cluster by its stack. Other programs write it too (docs/clusters.md). Unknown
 * keys are ignored.
 */
export const clusterOutputs = z.object({
  version: z.literal(CLUSTER_OUTPUT_VERSION),
  kind: z.enum(KINDS),
  /** Secret. @default the ambient kubeconfig */
  kubeconfig: z.string().min(1).optional(),
  clusterIdentifier: z.string().min(1).optional(),
  pools: z.record(z.string(), poolOutput).readonly(),
  storageClass: z.string().optional(),
  volumeClass: z.object({ provisioner: z.string(), parameters: texts }).optional(),
  volumesGrow: z.boolean().default(false),
  privateCidrs: networks.default([]),
  apiServerCidrs: networks.default([]),
  networkPolicies: z.enum(["platform", "present"]).default("present"),
  gpuSoftware: z.enum(["platform", "addon", "present"]).default("present"),
  rdmaCidr: z.string().optional(),
  loadBalancer: z.enum(LOAD_BALANCER_NAMES).default("plain"),
  identityGround: z
    .discriminatedUnion("kind", [
      z.object({
        kind: z.literal("oke"),
        clusterId: z.string().min(1),
        compartmentId: z.string().min(1),
        homeRegion: z.string().min(1),
        environment: z.string().min(1),
      }),
      z.object({
        kind: z.literal("eks"),
        clusterArn: z.string().min(1),
        clusterName: z.string().min(1),
        region: z.string().min(1),
        environment: z.string().min(1),
      }),
    ])
    .optional(),
  aws: z
    .object({
      clusterName: z.string().min(1),
      region: z.string().min(1),
      vpcId: z.string().min(1),
      zones: z.array(z.string()).readonly(),
      karpenter: z
        .object({
          queueName: z.string().min(1),
          nodeRoleName: z.string().min(1),
          discovery: z.object({ key: z.string(), value: z.string() }),
          volumesKeyArn: z.string().min(1),
          nodeImage: z.string(),
          tags: texts.default({}),
        })
        .optional(),
    })
    .optional(),
});

export type ClusterOutputs = z.output<typeof clusterOutputs>;

/** Values that only the deployment knows are inputs. */
type Pending<T> = { readonly [Key in keyof T]: pulumi.Input<T[Key]> };
export type WrittenClusterOutputs = Pending<Omit<ClusterOutputs, "volumeClass" | "aws" | "identityGround">> & {
  readonly volumeClass?: Cluster["volumeClass"];
  readonly aws?: Cluster["aws"];
  readonly identityGround?: Cluster["identityGround"];
};

/** The `cluster` output of a stack. The kubeconfig stays secret. */
export function outputsOfCluster(kind: ClusterKind, cluster: Cluster): WrittenClusterOutputs {
  const { kubeconfig, clusterIdentifier, storageClass, volumeClass } = cluster;
  return {
    version: CLUSTER_OUTPUT_VERSION,
    kind,
    ...(kubeconfig && { kubeconfig }),
    ...(clusterIdentifier && { clusterIdentifier }),
    pools: cluster.pools,
    ...(storageClass !== undefined && { storageClass }),
    ...(volumeClass && { volumeClass }),
    volumesGrow: cluster.volumesGrow,
    privateCidrs: cluster.privateCidrs,
    apiServerCidrs: cluster.apiServerCidrs,
    networkPolicies: cluster.networkPolicies,
    gpuSoftware: cluster.gpuSoftware,
    ...(cluster.rdmaCidr !== undefined && { rdmaCidr: cluster.rdmaCidr }),
    loadBalancer: loadBalancerName(cluster.loadBalancer),
    ...(cluster.identityGround && { identityGround: cluster.identityGround }),
    ...(cluster.aws && { aws: cluster.aws }),
  };
}
