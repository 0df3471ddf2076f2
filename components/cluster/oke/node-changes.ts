import type { ContainerEngine } from "@pulumi/oci/types/input";
import { isAutoscaled } from "./autoscaler";
import type { NodeCycling, OkePool } from "./settings";

type Pool = Pick<OkePool, "plan" | "capacity" | "cycling">;

/**
 * Returned GPU machines may be taken by others, so they are kept. Preemptible machines can be
 * neither stopped nor restarted (Oracle's page "Preemptible Instances").
 */
function cyclingOf({ plan, capacity, cycling }: Pool): NodeCycling {
  return cycling ?? (plan.shape.gpu !== undefined && capacity !== "spot" ? "boot-volume" : "instance");
}

/**
 * How changes reach existing nodes; without cycling, only new ones. Oracle's pages "Replacing Boot
 * Volumes of Worker Nodes" and "Terminating and Replacing Worker Nodes", read 2026-11-23, cover
 * virtual machines and bare metal in enhanced clusters.
 *
 * The provider sends this with every change of the pool (oracle/terraform-provider-oci, `Update` of
 * containerengine_node_pool_resource.go). Untested: whether OKE accepts it with changes unrelated
 * to boot volumes, such as size (docs/clusters.md).
 */
export function nodeCycling(pool: Pool): ContainerEngine.NodePoolNodePoolCyclingDetails {
  const cycling = cyclingOf(pool);
  if (cycling === "off") {
    return { isNodeCyclingEnabled: false };
  }
  const ofGpus = pool.plan.shape.gpu !== undefined;
  return {
    isNodeCyclingEnabled: true,
    cycleModes: [cycling === "boot-volume" ? "BOOT_VOLUME_REPLACE" : "INSTANCE_REPLACE"],
    // No spare GPU machines exist: each node leaves before its successor starts.
    maximumSurge: ofGpus ? "0" : "1",
    maximumUnavailable: ofGpus ? "1" : "0",
  };
}

/**
 * These changes create the new pool before the old one drains, instead of OKE's in-place update.
 */
const ALWAYS_REPLACED = [
  // Updatable, but old nodes stay; and a pool cannot change between GPU and CPU machines.
  "nodeShape",
  // A placement change ends nodes at once; OKE refuses it in an update with cycling (409, as for
  // any of these).
  "nodeConfigDetails.placementConfigs",
  "nodeConfigDetails.kmsKeyId",
  // Reported as applied, without effect on nodes (oracle/terraform-provider-oci#2011).
  "nodeConfigDetails.nodePoolPodNetworkOptionDetails",
];

/** Also not changed by a new boot volume or without cycling. */
const NOT_OF_BOOT_VOLUMES = [
  "initialNodeLabels",
  "nodeConfigDetails.isPvEncryptionInTransitEnabled",
  "nodeConfigDetails.nsgIds",
];

/** Node pool properties whose change replaces the pool. */
export function replacedOnChange(pool: Pool & Pick<OkePool, "image">): string[] {
  return [
    ...ALWAYS_REPLACED,
    ...(cyclingOf(pool) === "instance" ? [] : NOT_OF_BOOT_VOLUMES),
    // A found image stays (below): a version upgrade creates a pool with the new version's newest
    // image.
    ...(pool.image === undefined ? ["kubernetesVersion"] : []),
  ];
}

/** Node pool properties that others own after creation. A replacement uses the program's values. */
export function ignoredChanges(pool: Pool & Pick<OkePool, "image">): string[] {
  return [
    ...(isAutoscaled(pool) ? ["nodeConfigDetails.size"] : []),
    // Oracle publishes images every few weeks: an unrelated update must not roll an unchanged pool.
    ...(pool.image === undefined ? ["nodeSourceDetails.imageId"] : []),
  ];
}
