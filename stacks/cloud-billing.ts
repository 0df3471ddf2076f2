import { isPublicAws } from "../kubernetes/aws-load-balancer";
import { ociType } from "../kubernetes/oci-load-balancer";
import type { BilledCluster, BilledLoadBalancer, BilledVolumes, CloudBilling } from "../planner/cloud-services";
import type { ClusterConfig, EnvironmentConfig } from "./config";

export interface AddonVolumes {
  readonly volumes: readonly BilledVolumes[];
  /** Volumes of unknown size. */
  readonly notPriced: readonly string[];
  /** Additional room on each engine's model volume. */
  readonly spareModelGiB: number;
}

export const NO_VOLUMES: AddonVolumes = { volumes: [], notPriced: [], spareModelGiB: 0 };

/** Billed parts of cluster and load balancer, and items without price or number. */
interface Bill {
  readonly cluster?: BilledCluster;
  readonly loadBalancer: BilledLoadBalancer;
  readonly notPriced: readonly string[];
}

type Chosen = Readonly<Record<string, string>>;

/** Undefined for own machines. */
export function cloudBilling(
  { cluster, gateway }: Pick<EnvironmentConfig, "cluster" | "gateway">,
  addons: AddonVolumes,
): CloudBilling | undefined {
  if (cluster.kind !== "oci" && cluster.kind !== "aws") {
    return undefined;
  }
  const chosen = gateway.serviceAnnotations ?? {};
  const bill = cluster.kind === "oci" ? ociBill(cluster, chosen) : awsBill(cluster, chosen);
  const { loadBalancer, notPriced, ...made } = bill;
  return {
    provider: cluster.kind,
    ...made,
    ...(gateway.exposure === "LoadBalancer" && { loadBalancer }),
    ...addons,
    notPriced: [...addons.notPriced, ...notPriced],
  };
}

/**
 * Provisioned by our program, in this or another stack: cost is the environment's, equal in one
 * stack and two.
 */
function isOurs({ provision }: Pick<ClusterConfig, "provision">): boolean {
  return provision === "create" || provision === "stack";
}

function ociBill(cluster: ClusterConfig<"oci">, chosen: Chosen): Bill {
  const isMade = isOurs(cluster);
  return {
    ...(isMade && { cluster: { natGateways: 1, publicAddresses: 0, endpoints: 0, keys: 0 } }),
    loadBalancer: { ...ociLoadBalancer(chosen), publicAddresses: 0 },
    // Hardware keys are billed by version, some free; the price is unknown.
    notPriced: isMade && cluster.oke?.encryptionKeyId === undefined ? ["versions of the vault's keys"] : [],
  };
}

/** Minimum that Oracle's load balancer bills: a fixed 100 Mbit/s, or a flexible one's least. */
const LEAST_MBPS = "10";

function ociLoadBalancer(chosen: Chosen): Omit<BilledLoadBalancer, "publicAddresses"> {
  if (ociType(chosen) === "nlb") {
    return { service: "network-load-balancer", minMbps: 0 };
  }
  const minMbps = chosen["service.beta.kubernetes.io/oci-load-balancer-shape-flex-min"] ?? LEAST_MBPS;
  return { service: "load-balancer", minMbps: Number.parseInt(minMbps, 10) };
}

/** For the cluster's secrets, and for disks and volumes. */
const EKS_KEYS = 2;

function awsBill(cluster: ClusterConfig<"aws">, chosen: Chosen): Bill {
  const { eks } = cluster;
  const isMade = isOurs(cluster);
  const isPublic = isPublicAws(chosen);
  // One per zone; unknown for existing clusters.
  const publicAddresses = isPublic ? (eks?.zones.length ?? 0) : 0;
  const loadBalancer = { service: "network-load-balancer", minMbps: 0, publicAddresses } as const;
  const unknown = isPublic && eks === undefined ? ["public addresses of the load balancer"] : [];
  if (eks === undefined) {
    return isMade
      ? {
          cluster: { natGateways: 0, publicAddresses: 0, endpoints: 0, keys: 0 },
          loadBalancer,
          notPriced: ["NAT gateways, endpoints and keys of the other stack's cluster", ...unknown],
        }
      : { loadBalancer, notPriced: unknown };
  }
  const { zones, network, encryptionKeyArn } = eks;
  const natGateways = network.natGateways === "single" ? 1 : zones.length;
  return {
    cluster: {
      natGateways,
      publicAddresses: natGateways,
      endpoints: network.endpoints.length * zones.length,
      keys: encryptionKeyArn === undefined ? EKS_KEYS : 0,
    },
    loadBalancer,
    notPriced: ["logs of the control plane"],
  };
}
