import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { GpuResource } from "../../catalog/shapes";
import type { Labels } from "../../names/labels";
import type { PoolFabric, Taint } from "../../planner/types";
import type { ClusterNetworks } from "./network";

/** Annotations of a Service by which a cloud makes its load balancer. */
export type LoadBalancerSettings = Readonly<Record<string, string>>;

/**
 * How a cluster's load balancers keep long silences and the client's address. Given the environment's own settings, so that
 * ours never change what those mean; the result holds both.
 */
export type LoadBalancer = (needs: {
  /** Longest silence on a connection that is in use, seconds. */
  readonly idleSeconds: number;
  /** What the environment says itself: it wins, and may ask for another kind of load balancer. */
  readonly chosen: LoadBalancerSettings;
}) => LoadBalancerRequest;

/** What a Service asks for, so that a cluster makes its load balancer well. */
export interface LoadBalancerRequest {
  readonly annotations: LoadBalancerSettings;
  /** Whether the Service must take the gateway's node ports, because the nodes' network opens no others to clients. */
  readonly fixedNodePorts: boolean;
  /** What the namespace of the pods behind it says to the cloud's controller. @default nothing */
  readonly namespaceLabels?: Labels;
  /** Seconds for which it sends new connections to a pod that leaves. @default three looks at the node, 10 s apart, and one more */
  readonly deregisterSeconds?: number;
}

/** What pods may rely on of a pool's nodes. */
export interface ClusterPool {
  /** Machine by its catalogue name. */
  readonly shape: string;
  readonly minNodes: number;
  readonly maxNodes: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** What new nodes have besides, until something has looked at them. */
  readonly startupTaints: readonly Taint[];
  /** RDMA network that pods may use; undefined where they talk TCP. */
  readonly fabric?: PoolFabric;
  /** Extended resource of its GPUs or their slices, and how many a node has; undefined where it has none. */
  readonly gpus?: { readonly resource: GpuResource; readonly perNode: number };
}

/** Gives a Kubernetes service account rights in the cloud, without a key that anybody could copy. */
export type IdentityBinder = (binding: {
  /** Who uses it, one word and unlike all others of the cluster: `autoscaler`. What is made for it is named after it. */
  readonly name: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  /** What it may do, in the cloud's own words: OCI `use buckets in compartment id …`, AWS a statement of IAM as JSON. */
  readonly grants: readonly pulumi.Input<string>[];
}) => {
  /** Annotations of the service account. */
  readonly annotations: Readonly<Record<string, pulumi.Input<string>>>;
  /** What must exist before a pod uses it. */
  readonly ready: readonly pulumi.Resource[];
};

/** What a binder of identities needs to know of a cluster, for programs that did not make it. */
export type IdentityGround =
  | {
      readonly kind: "oke";
      /** OCIDs. Policies are written in the compartment, through the tenancy's home region. */
      readonly clusterId: pulumi.Input<string>;
      readonly compartmentId: string;
      readonly homeRegion: string;
      /** Of the stack that made the cluster: tags name it. */
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

/** A StorageClass that is the platform's to make: the cluster comes with none that keeps the house rules. */
export interface VolumeClass {
  readonly provisioner: string;
  readonly parameters: Readonly<Record<string, pulumi.Input<string>>>;
}

/** What a cluster on AWS has ready for the controllers that the platform installs there: where they work, and as whom. */
export interface AwsGround {
  readonly clusterName: string;
  readonly region: string;
  readonly vpcId: pulumi.Input<string>;
  /** Availability zones of its network, by name. */
  readonly zones: readonly string[];
  /** Undefined: no pool's nodes are Karpenter's to make. */
  readonly karpenter?: KarpenterGround | undefined;
}

/** What was made for Karpenter, whose service account has its rights already (names/aws.ts). */
export interface KarpenterGround {
  /** On which it hears that machines will be taken away. */
  readonly queueName: pulumi.Input<string>;
  /** Role of the nodes that it makes. */
  readonly nodeRoleName: pulumi.Input<string>;
  /** Tag of the subnets and security groups of its nodes. */
  readonly discovery: { readonly key: string; readonly value: string };
  /** Key of its nodes' disks. */
  readonly volumesKeyArn: pulumi.Input<string>;
  /** Release of the AL2023 images: v20261012. */
  readonly nodeImage: string;
  /** Tags of the machines that it makes. */
  readonly tags: Readonly<Record<string, string>>;
}

/** What must exist before the pods of a pool, by the pool's name. */
export type PoolsReady = Readonly<Record<string, readonly pulumi.Resource[]>>;

/** What the platform needs to know of a Kubernetes cluster, whoever made it. */
export interface Cluster extends ClusterNetworks {
  readonly provider: kubernetes.Provider;
  /** Secret; with an `exec` plugin, never a token. Undefined where the ambient kubeconfig is used. */
  readonly kubeconfig: pulumi.Output<string> | undefined;
  /** What stays the same for as long as the cluster is the same one. Undefined where its maker names nothing like it. */
  readonly clusterIdentifier: pulumi.Output<string> | undefined;
  /** By name. */
  readonly pools: Readonly<Record<string, ClusterPool>>;
  /** Storage class for volumes; the cluster's default when undefined. Must encrypt at rest in production. */
  readonly storageClass: string | undefined;
  /** What that class is, where the platform makes it. Undefined: it exists. */
  readonly volumeClass: VolumeClass | undefined;
  /** Whether volumes of that class can be made larger later (`allowVolumeExpansion`); `local-path` of k3s cannot. */
  readonly volumesGrow: boolean;
  /** Settings of the load balancers that it makes for Services. */
  readonly loadBalancer: LoadBalancer;
  /** Who enforces NetworkPolicies: something in the cluster, or what the platform installs. */
  readonly networkPolicies: "platform" | "present";
  /** Who brings drivers' device plugins to GPU nodes: the platform, an add-on of the cloud, or whoever made the cluster. */
  readonly gpuSoftware: "platform" | "addon" | "present";
  /** Addresses, in CIDR form, that pods' interfaces on the RDMA network get, where the platform gives them out. @default the catalogue's */
  readonly rdmaCidr?: string | undefined;
  /**
   * Installs the cloud's operator of RDMA devices, after what it is given: its pods must start once nodes' container runtimes restart no
   * more. To be called once. @default none is to install
   */
  readonly rdmaOperator?: ((after: readonly pulumi.Resource[]) => readonly pulumi.Resource[]) | undefined;
  /** Who installs the GPU metrics exporters (DCGM, AMD). */
  readonly gpuExporters: "platform" | "present";
  /**
   * Numeric groups of the GPUs' device files, as somebody read them on the nodes. Undefined: nobody did, and the environment
   * says them where pods need them.
   */
  readonly gpuDeviceGroups?: pulumi.Output<readonly number[]> | undefined;
  /** Undefined: it is not on AWS, or nobody made anything ready there. */
  readonly aws?: AwsGround | undefined;
  /** Undefined: service accounts have no rights in a cloud. */
  readonly workloadIdentity: IdentityBinder | undefined;
  /** By which another program makes such a binder. @default there is none */
  readonly identityGround?: IdentityGround | undefined;
  /**
   * What takes all that is in the cluster with it: a destroy removes that alone, and asks nothing of a cluster that may be stopped.
   * Undefined: objects are deleted one by one.
   */
  readonly deletedWith?: pulumi.Resource | undefined;
  /** What the platform waits for: nodes for its own pods, name resolution, volumes, rights. No pool that only models run on. */
  readonly ready: readonly pulumi.Resource[];
  /** Add-ons of the cloud by which pods get GPUs. */
  readonly gpusReady: readonly pulumi.Resource[];
  /** What the pods of a pool wait for besides: its nodes. Without a pool's name: they are there, or come when pods ask for them. */
  readonly poolsReady: PoolsReady;
}
