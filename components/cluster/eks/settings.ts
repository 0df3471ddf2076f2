import type { EksAddonName } from "../../../catalog/eks";
import type { PoolPlan } from "../../../planner/types";

/** What an environment says of the EKS cluster that it makes. Plain data: it decides which resources there are. */
export interface EksSettings {
  /** Name of the environment: the cluster is named so, and what belongs to it is tagged with it. */
  readonly environment: string;
  readonly region: string;
  /** Credentials of any other account are refused. Undefined: theirs is the one. */
  readonly accountId: string | undefined;
  /** Minor version, as EKS writes it: 1.34. */
  readonly kubernetesVersion: string;
  /** Availability zones, in the order in which they get addresses. */
  readonly zones: readonly string[];
  /** ARNs of IAM roles and users that may do everything in the cluster. */
  readonly administrators: readonly string[];
  readonly endpoint: EksEndpoint;
  readonly network: EksNetworks;
  /** Release of the AL2023 images: v20261012. */
  readonly nodeImage: string;
  /** Of Amazon's add-ons, where they are not those of the catalogue. */
  readonly addonVersions: Readonly<Partial<Record<EksAddonName, string>>>;
  /** A key that exists. Undefined: keys of the cluster's own are made. */
  readonly encryptionKeyArn: string | undefined;
  readonly logRetentionDays: number;
  /** Stateful resources are protected from deletion. */
  readonly protect: boolean;
}

export interface EksEndpoint {
  readonly public: boolean;
  /** Who may reach it from outside of the network, in CIDR form. */
  readonly allowedCidrs: readonly string[];
}

/** Addresses in CIDR form. */
export interface EksNetworks {
  readonly vpc: string;
  readonly services: string;
  /** By zone: where nodes and pods are; where the control plane puts its interfaces; where NAT gateways and load balancers are. */
  readonly subnets: Readonly<Record<EksSubnet, Readonly<Record<string, string>>>>;
  readonly natGateways: "per-zone" | "single";
  /** Services of Amazon's with a private address in every zone, by the last part of their names: `ecr.api`. */
  readonly endpoints: readonly string[];
}

export const EKS_SUBNETS = ["nodes", "controlPlane", "public"] as const;
export type EksSubnet = (typeof EKS_SUBNETS)[number];

/** How the nodes of a pool are bought. Reservations and capacity blocks exist already, by their ids. */
export type EksCapacity = "on-demand" | "spot" | { readonly reservation: string } | { readonly capacityBlock: string };

/** A pool: what the plan says of it, and what only who makes nodes asks for. */
export interface EksPool {
  readonly plan: PoolPlan;
  /** Nodes of it in a managed node group: they always run. 0: it has no group. */
  readonly groupNodes: number;
  /** Nodes that Karpenter may make for it, for pods that find no room. 0: it makes none. */
  readonly karpenterNodes: number;
  readonly capacity: EksCapacity;
  /** Availability zones of its nodes, at least one. */
  readonly zones: readonly string[];
  readonly bootVolumeGiB: number;
  /** Its nodes have EFA interfaces, and pods may ask for them. */
  readonly efa: boolean;
  /** Nodes are put close to each other. */
  readonly placementGroup: boolean;
}
