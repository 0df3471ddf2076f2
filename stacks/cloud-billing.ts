import { ociType } from "../kubernetes/oci-load-balancer";
import type { BilledVolumes, CloudBilling } from "../planner/cloud-services";
import type { EnvironmentConfig } from "./config";

/** What add-ons claim volumes for. */
export interface AddonVolumes {
  readonly volumes: readonly BilledVolumes[];
  /** Volumes of a size that nobody here knows. */
  readonly notPriced: readonly string[];
  /** Room that is asked for beside the planned models wherever an engine keeps models. */
  readonly spareModelGiB: number;
}

export const NO_VOLUMES: AddonVolumes = { volumes: [], notPriced: [], spareModelGiB: 0 };

/** What an environment makes, or causes, in a cloud that sends bills; undefined on machines of one's own. */
export function cloudBilling(
  { cluster, gateway }: Pick<EnvironmentConfig, "cluster" | "gateway">,
  addons: AddonVolumes,
): CloudBilling | undefined {
  if (cluster.kind !== "oci" && cluster.kind !== "aws") {
    return undefined;
  }
  return {
    provider: cluster.kind,
    createsCluster: isOurs(cluster),
    ...(gateway.exposure === "LoadBalancer" && {
      loadBalancer: loadBalancer(cluster.kind, gateway.serviceAnnotations ?? {}),
    }),
    ...addons,
    notPriced: [...addons.notPriced, ...(makesKeys(cluster) ? ["versions of the vault's keys"] : [])],
  };
}

/**
 * Whether a program of ours makes it, in this stack or another one: cost is that of the environment, whose plan is the same
 * in one stack and in two.
 */
function isOurs({ kind, provision }: EnvironmentConfig["cluster"]): boolean {
  return provision === "create" || ((kind === "oci" || kind === "aws") && provision === "stack");
}

/** Keys in hardware are billed by their versions, some of them free: nobody read for how much. */
function makesKeys(cluster: EnvironmentConfig["cluster"]): boolean {
  return cluster.kind === "oci" && isOurs(cluster) && cluster.oke?.encryptionKeyId === undefined;
}

/** What Oracle's load balancer proper keeps at least, and bills: a fixed 100 Mbit/s, or what a flexible one may shrink to. */
const LEAST_MBPS = "10";

function loadBalancer(
  kind: "oci" | "aws",
  chosen: Readonly<Record<string, string>>,
): NonNullable<CloudBilling["loadBalancer"]> {
  if (kind === "aws" || ociType(chosen) === "nlb") {
    return { service: "network-load-balancer", minMbps: 0 };
  }
  const minMbps = chosen["service.beta.kubernetes.io/oci-load-balancer-shape-flex-min"] ?? LEAST_MBPS;
  return { service: "load-balancer", minMbps: Number.parseInt(minMbps, 10) };
}
