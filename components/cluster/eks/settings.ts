import type { EksAddonName } from "../../../catalog/eks";
import type { PoolPlan } from "../../../planner/types";

/** Plain data: decides which resources exist. */
export interface EksSettings {
  /** Environment name: names the cluster and tags its resources. */
  readonly environment: string;
  readonly region: string;
  /** Credentials of other accounts are refused. @default the account of the credentials */
  readonly accountId: string | undefined;
  /** Minor version in EKS format: 1.34. */
  readonly kubernetesVersion: string;
  /** Availability zones, in the order of address assignment. */
  readonly zones: readonly string[];
  /** ARNs of IAM roles and users with full cluster access. */
  readonly administrators: readonly string[];
  readonly endpoint: EksEndpoint;
  readonly network: EksNetworks;
  /** Release of the AL2023 images: v20261012. */
  readonly nodeImage: string;
  /** Versions of EKS add-ons that override the catalogue. */
  readonly addonVersions: Readonly<Partial<Record<EksAddonName, string>>>;
  /** An existing key. @default new keys */
  readonly encryptionKeyArn: string | undefined;
  readonly logRetentionDays: number;
  readonly protect: boolean;
}

export interface EksEndpoint {
  readonly public: boolean;
  /** CIDRs with access from outside the network. */
  readonly allowedCidrs: readonly string[];
}

/** Addresses as CIDRs. */
export interface EksNetworks {
  readonly vpc: string;
  readonly services: string;
  /** By zone: nodes and pods; control plane interfaces; NAT gateways and load balancers. */
  readonly subnets: Readonly<Record<EksSubnet, Readonly<Record<string, string>>>>;
  readonly natGateways: "per-zone" | "single";
  /** AWS services with a private address in every zone, by name suffix: `ecr.api`. */
  readonly endpoints: readonly string[];
}

export const EKS_SUBNETS = ["nodes", "controlPlane", "public"] as const;
export type EksSubnet = (typeof EKS_SUBNETS)[number];

/**
 * Purchase option of a pool's nodes. Reservations and capacity blocks must exist; values are IDs.
 */
export type EksCapacity = "on-demand" | "spot" | { readonly reservation: string } | { readonly capacityBlock: string };

/** A planned pool with its provisioning settings. */
export interface EksPool {
  readonly plan: PoolPlan;
  /** Always-on nodes in a managed node group. 0: no group. */
  readonly groupNodes: number;
  /** Maximum nodes that Karpenter may provision for pending pods. 0: none. */
  readonly karpenterNodes: number;
  readonly capacity: EksCapacity;
  /** Availability zones of its nodes, at least one. */
  readonly zones: readonly string[];
  readonly bootVolumeGiB: number;
  /** Nodes have EFA interfaces that pods can request. */
  readonly efa: boolean;
  readonly placementGroup: boolean;
}
