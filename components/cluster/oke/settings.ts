import type { PoolPlan } from "../../../planner/types";

/** Plain data: decides which resources exist. */
export interface OkeSettings {
  /** Environment name: names the cluster and tags its resources. */
  readonly environment: string;
  readonly tenancyId: string;
  readonly compartmentId: string;
  readonly region: string;
  /** Region of the tenancy's policies and groups. */
  readonly homeRegion: string;
  /** With a leading v, in OKE format: v1.34.1. */
  readonly kubernetesVersion: string;
  readonly endpoint: OkeEndpoint;
  readonly loadBalancers: OkeLoadBalancers;
  readonly registryPorts: readonly number[];
  readonly network: OkeNetworks;
  /** CIDR of pod addresses on the RDMA network. @default the catalogue's */
  readonly rdmaCidr?: string;
  /** An existing key. @default a new vault and keys */
  readonly encryptionKeyId: string | undefined;
  /** Compartment of that key, for its policy. @default `compartmentId` */
  readonly encryptionKeyCompartmentId: string | undefined;
  readonly protect: boolean;
}

export interface OkeEndpoint {
  readonly public: boolean;
  /** CIDRs with access from outside the network. */
  readonly allowedCidrs: readonly string[];
}

/** Clients of load balancers that the in-cluster controller creates. */
export interface OkeLoadBalancers {
  readonly public: boolean;
  /** CIDRs of their clients. */
  readonly clientCidrs: readonly string[];
  /** Whether nodes see client addresses and must admit them. */
  readonly preserveSource: boolean;
}

/** The four subnets, in the order of the address plan. */
export const SUBNETS = ["endpoint", "nodes", "pods", "loadBalancers"] as const;
export type SubnetName = (typeof SUBNETS)[number];

/** Addresses as CIDRs. */
export interface OkeNetworks {
  readonly vcn: string;
  readonly subnets: Readonly<Record<SubnetName, string>>;
  readonly services: string;
}

/**
 * What creates a pool's nodes: OKE, or Compute for settings that node pools lack
 * (`self-managed-nodes.ts`).
 */
export type NodeMaker = "node-pool" | "cluster-network" | "instance-pool";

/** New boot volume, new machine, or neither: then changes reach only new nodes. */
export type NodeCycling = "boot-volume" | "instance" | "off";

/** A planned pool with its provisioning settings. */
export interface OkePool {
  readonly plan: PoolPlan;
  readonly madeBy: NodeMaker;
  readonly capacity: "on-demand" | "spot" | { readonly reservation: string };
  /** Availability domain numbers in the region, from 1. */
  readonly availabilityDomains: readonly number[];
  readonly bootVolumeGiB: number;
  /** Grace minutes for pods of a leaving node; OKE allows at most 60. */
  readonly evictionGraceMinutes: number;
  /** How changes reach existing nodes. @default by machine type (`node-changes.ts`) */
  readonly cycling?: NodeCycling | undefined;
  /**
   * OCID of a node image.
   * @default Oracle's newest for shape and version when the pool is created
   */
  readonly image: string | undefined;
  /** Whether nodes are in a compute cluster, which provides RDMA. */
  readonly computeCluster: boolean;
}
