import { ociType } from "../kubernetes/oci-load-balancer";
import type { BilledCluster, BilledLoadBalancer, BilledVolumes, CloudBilling } from "../planner/cloud-services";
import type { ClusterConfig, EnvironmentConfig } from "./config";

/** What add-ons claim volumes for. */
export interface AddonVolumes {
  readonly volumes: readonly BilledVolumes[];
  /** Volumes of a size that nobody here knows. */
  readonly notPriced: readonly string[];
  /** Room that is asked for beside the planned models wherever an engine keeps models. */
  readonly spareModelGiB: number;
}

export const NO_VOLUMES: AddonVolumes = { volumes: [], notPriced: [], spareModelGiB: 0 };

/** What a cloud bills of the cluster and of the gateway's load balancer, and what of it has no price or no number here. */
interface Bill {
  readonly cluster?: BilledCluster;
  readonly loadBalancer: BilledLoadBalancer;
  readonly notPriced: readonly string[];
}

type Chosen = Readonly<Record<string, string>>;

/** What an environment makes, or causes, in a cloud that sends bills; undefined on machines of one's own. */
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
 * Whether a program of ours makes it, in this stack or another one: cost is that of the environment, whose plan is the same
 * in one stack and in two.
 */
function isOurs({ provision }: Pick<ClusterConfig, "provision">): boolean {
  return provision === "create" || provision === "stack";
}

function ociBill(cluster: ClusterConfig<"oci">, chosen: Chosen): Bill {
  const isMade = isOurs(cluster);
  return {
    ...(isMade && { cluster: { natGateways: 1, publicAddresses: 0, endpoints: 0, keys: 0 } }),
    loadBalancer: { ...ociLoadBalancer(chosen), publicAddresses: 0 },
    // Keys in hardware are billed by their versions, some of them free: nobody read for how much.
    notPriced: isMade && cluster.oke?.encryptionKeyId === undefined ? ["versions of the vault's keys"] : [],
  };
}

/** What Oracle's load balancer proper keeps at least, and bills: a fixed 100 Mbit/s, or what a flexible one may shrink to. */
const LEAST_MBPS = "10";

function ociLoadBalancer(chosen: Chosen): Omit<BilledLoadBalancer, "publicAddresses"> {
  if (ociType(chosen) === "nlb") {
    return { service: "network-load-balancer", minMbps: 0 };
  }
  const minMbps = chosen["service.beta.kubernetes.io/oci-load-balancer-shape-flex-min"] ?? LEAST_MBPS;
  return { service: "load-balancer", minMbps: Number.parseInt(minMbps, 10) };
}

/** One for the cluster's secrets, one for disks and volumes. */
const EKS_KEYS = 2;

function awsBill(cluster: ClusterConfig<"aws">, chosen: Chosen): Bill {
  const { eks } = cluster;
  const isMade = isOurs(cluster);
  const isPublic = chosen["service.beta.kubernetes.io/aws-load-balancer-scheme"] === "internet-facing";
  // It has an address in each zone; of a cluster that is not made here nobody knows how many those are.
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
