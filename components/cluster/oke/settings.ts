import type { PoolPlan } from "../../../planner/types";

/** What an environment says of the OKE cluster that it makes. Plain data: it decides which resources there are. */
export interface OkeSettings {
  /** Name of the environment: the cluster is named so, and what belongs to it is tagged with it. */
  readonly environment: string;
  readonly tenancyId: string;
  readonly compartmentId: string;
  readonly region: string;
  /** Region that the tenancy's policies and groups are written in. */
  readonly homeRegion: string;
  /** With a leading v, as OKE writes it: v1.34.1. */
  readonly kubernetesVersion: string;
  readonly endpoint: OkeEndpoint;
  readonly loadBalancers: OkeLoadBalancers;
  /** TCP ports of the registries that nodes pull images from. */
  readonly registryPorts: readonly number[];
  readonly network: OkeNetworks;
  /** Addresses of pods on the RDMA network, in CIDR form. @default the catalogue's */
  readonly rdmaCidr?: string;
  /** A key that exists. Undefined: a vault and keys of the cluster's own are made. */
  readonly encryptionKeyId: string | undefined;
  /** Compartment of that key, where its policy is written. Undefined: `compartmentId`. */
  readonly encryptionKeyCompartmentId: string | undefined;
  /** Stateful resources are protected from deletion. */
  readonly protect: boolean;
}

export interface OkeEndpoint {
  readonly public: boolean;
  /** Who may reach it from outside of the network, in CIDR form. */
  readonly allowedCidrs: readonly string[];
}

/** Who may use the load balancers that a controller in the cluster makes. */
export interface OkeLoadBalancers {
  /** Whether they have public addresses. */
  readonly public: boolean;
  /** Networks of their clients, in CIDR form. */
  readonly clientCidrs: readonly string[];
  /** Whether nodes see the clients' addresses, and must let them in. */
  readonly preserveSource: boolean;
}

/** The four subnets, in the order in which the address plan hands them out. */
export const SUBNETS = ["endpoint", "nodes", "pods", "loadBalancers"] as const;
export type SubnetName = (typeof SUBNETS)[number];

/** Addresses in CIDR form. */
export interface OkeNetworks {
  readonly vcn: string;
  readonly subnets: Readonly<Record<SubnetName, string>>;
  readonly services: string;
}

/**
 * What makes the nodes of a pool: OKE itself; or, where a node pool cannot have what they are to be, Compute, as machines
 * that join the cluster by themselves (`self-managed-nodes.ts`).
 */
export type NodeMaker = "node-pool" | "cluster-network" | "instance-pool";

/** A new boot volume on the same machine, another machine, or neither: then changes reach new nodes alone. */
export type NodeCycling = "boot-volume" | "instance" | "off";

/** A node pool: what the plan says of it, and what only who makes nodes asks for. */
export interface OkePool {
  readonly plan: PoolPlan;
  readonly madeBy: NodeMaker;
  readonly capacity: "on-demand" | "spot" | { readonly reservation: string };
  /** Numbers of availability domains in the region, from 1. */
  readonly availabilityDomains: readonly number[];
  readonly bootVolumeGiB: number;
  /** Minutes in which the pods of a node that leaves may move; 60 at most, says OKE. */
  readonly evictionGraceMinutes: number;
  /** How changes reach nodes that exist. @default by machine (`node-changes.ts`) */
  readonly cycling?: NodeCycling | undefined;
  /** OCID of a node image. Undefined: the newest of Oracle's for the shape and version, at the time the pool is made. */
  readonly image: string | undefined;
  /** Whether its nodes are in a compute cluster, which gives them their RDMA network. */
  readonly computeCluster: boolean;
}
