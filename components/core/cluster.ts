import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { GpuResource } from "../../catalog/shapes";
import type { Labels } from "../../names/labels";
import type { PoolFabric, Taint } from "../../planner/types";
import type { ClusterNetworks } from "./network";

export type LoadBalancerSettings = Readonly<Record<string, string>>;

/**
 * Load balancer settings for idle connections and client addresses, merged with the environment's,
 * which win.
 */
export type LoadBalancer = (needs: {
  /** Longest idle time of an active connection, seconds. */
  readonly idleSeconds: number;
  /** They take precedence and may select another load balancer type. */
  readonly chosen: LoadBalancerSettings;
}) => LoadBalancerRequest;

export interface LoadBalancerRequest {
  readonly annotations: LoadBalancerSettings;
  /** Whether the Service must use the gateway's fixed node ports, the only open ones. */
  readonly fixedNodePorts: boolean;
  /** Labels for the namespace of the backend pods. @default none */
  readonly namespaceLabels?: Labels;
  /**
   * Seconds during which a leaving pod gets new connections.
   * @default three node health checks, 10 s apart, and one more
   */
  readonly deregisterSeconds?: number;
}

/** Node capabilities of a pool that pods may assume. */
export interface ClusterPool {
  /** Catalogue name of the machine. */
  readonly shape: string;
  readonly minNodes: number;
  readonly maxNodes: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** Additional taints of new nodes until they are checked. */
  readonly startupTaints: readonly Taint[];
  /** RDMA network for pods; undefined for TCP. */
  readonly fabric?: PoolFabric;
  /** Extended resource of its GPUs or slices, and their number per node; undefined without GPUs. */
  readonly gpus?: { readonly resource: GpuResource; readonly perNode: number };
}

/** Grants cloud permissions to a Kubernetes service account, without long-lived keys. */
export type IdentityBinder = (binding: {
  /** Word that is unique in the cluster: `autoscaler`. Names the created resources. */
  readonly name: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  /**
   * Permissions in the cloud's format: OCI `use buckets in compartment id …`, AWS an IAM statement
   * as JSON.
   */
  readonly grants: readonly pulumi.Input<string>[];
}) => {
  readonly annotations: Readonly<Record<string, pulumi.Input<string>>>;
  /** Prerequisites of pods that use it. */
  readonly ready: readonly pulumi.Resource[];
};

/** Cluster data that other programs need to bind identities. */
export type IdentityGround =
  | {
      readonly kind: "oke";
      /** OCIDs. Policies are created in the compartment, through the tenancy's home region. */
      readonly clusterId: pulumi.Input<string>;
      readonly compartmentId: string;
      readonly homeRegion: string;
      /** Environment of the cluster's stack, as in its tags. */
      readonly environment: string;
    }
  | {
      /** Pod Identity, whose agent runs in the cluster. */
      readonly kind: "eks";
      readonly clusterArn: pulumi.Input<string>;
      readonly clusterName: pulumi.Input<string>;
      readonly region: string;
      readonly environment: string;
    };

/** StorageClass that the platform creates, if the cluster has no compliant one. */
export interface VolumeClass {
  readonly provisioner: string;
  readonly parameters: Readonly<Record<string, pulumi.Input<string>>>;
}

/** AWS prerequisites of controllers that the platform installs. */
export interface AwsGround {
  readonly clusterName: string;
  readonly region: string;
  readonly vpcId: pulumi.Input<string>;
  readonly zones: readonly string[];
  /** Undefined if Karpenter provisions no pool. */
  readonly karpenter?: KarpenterGround | undefined;
}

/** Karpenter's prerequisites; its service account already has permissions (names/aws.ts). */
export interface KarpenterGround {
  /** Interruption queue. */
  readonly queueName: pulumi.Input<string>;
  /** Role of its nodes. */
  readonly nodeRoleName: pulumi.Input<string>;
  /** Tag of its nodes' subnets and security groups. */
  readonly discovery: { readonly key: string; readonly value: string };
  readonly volumesKeyArn: pulumi.Input<string>;
  /** Release of the AL2023 images: v20261012. */
  readonly nodeImage: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** Prerequisites of a pool's pods, by pool name. */
export type PoolsReady = Readonly<Record<string, readonly pulumi.Resource[]>>;

export interface Cluster extends ClusterNetworks {
  readonly provider: kubernetes.Provider;
  /** Secret; with an `exec` plugin, never a token. @default the ambient kubeconfig */
  readonly kubeconfig: pulumi.Output<string> | undefined;
  /** Stable identity of the cluster. Undefined if unknown. */
  readonly clusterIdentifier: pulumi.Output<string> | undefined;
  /** By name. */
  readonly pools: Readonly<Record<string, ClusterPool>>;
  /**
   * Storage class of volumes. Must encrypt at rest in production.
   * @default the cluster's default class
   */
  readonly storageClass: string | undefined;
  /** Undefined: the class exists. */
  readonly volumeClass: VolumeClass | undefined;
  /** Whether its volumes can be expanded (`allowVolumeExpansion`); `local-path` of k3s cannot. */
  readonly volumesGrow: boolean;
  readonly loadBalancer: LoadBalancer;
  /** Who enforces NetworkPolicies. */
  readonly networkPolicies: "platform" | "present";
  /** Who installs GPU device plugins: the platform, a cloud add-on, or the cluster's owner. */
  readonly gpuSoftware: "platform" | "addon" | "present";
  /**
   * CIDR of pod interfaces on the RDMA network, if the platform assigns addresses.
   * @default the catalogue's
   */
  readonly rdmaCidr?: string | undefined;
  /**
   * Installs the cloud's RDMA operator after the given resources, when node container runtimes no
   * longer restart. Call once.
   * @default none
   */
  readonly rdmaOperator?: ((after: readonly pulumi.Resource[]) => readonly pulumi.Resource[]) | undefined;
  /** Who installs the GPU metrics exporters (DCGM, AMD). */
  readonly gpuExporters: "platform" | "present";
  /**
   * Numeric groups of GPU device files, read from the nodes. Otherwise the environment must set
   * them where needed.
   */
  readonly gpuDeviceGroups?: pulumi.Output<readonly number[]> | undefined;
  /** Undefined outside AWS, or without prepared resources. */
  readonly aws?: AwsGround | undefined;
  /** Undefined if service accounts cannot get cloud permissions. */
  readonly workloadIdentity: IdentityBinder | undefined;
  /** Data for identity bindings by other programs. @default none */
  readonly identityGround?: IdentityGround | undefined;
  /**
   * Resource whose deletion removes the whole cluster: destroy deletes only that. Undefined:
   * objects are deleted one by one.
   */
  readonly deletedWith?: pulumi.Resource | undefined;
  /**
   * Prerequisites of the platform: its nodes, DNS, volumes, permissions. Excludes pools for models
   * only.
   */
  readonly ready: readonly pulumi.Resource[];
  /** Cloud add-ons for GPU pods. */
  readonly gpusReady: readonly pulumi.Resource[];
  /**
   * Additional prerequisites of a pool's pods: its nodes. Without entry, nodes exist or come on
   * demand.
   */
  readonly poolsReady: PoolsReady;
}
