import type { ContainerEngine } from "@pulumi/oci/types/input";
import { isAutoscaled } from "./autoscaler";
import type { NodeCycling, OkePool } from "./settings";

type Pool = Pick<OkePool, "plan" | "capacity" | "cycling">;

/**
 * GPU machines given back may be gone: they are kept. Machines that the cloud may take back can neither be stopped nor restarted
 * (Oracle's page "Preemptible Instances").
 */
function cyclingOf({ plan, capacity, cycling }: Pool): NodeCycling {
  return cycling ?? (plan.shape.gpu !== undefined && capacity !== "spot" ? "boot-volume" : "instance");
}

/**
 * How changes reach nodes that exist. Without cycling they would reach new nodes alone. Pages "Replacing Boot Volumes of
 * Worker Nodes" and "Terminating and Replacing Worker Nodes" of Oracle's documentation, read 2026-11-23: both are of
 * virtual machines and bare metal, in enhanced clusters.
 *
 * The provider sends this with every change of the pool, whatever changes (oracle/terraform-provider-oci, `Update` of
 * containerengine_node_pool_resource.go), and a program does not know which changes there are. Whether OKE takes it beside a change
 * that no boot volume makes, such as of the size, nobody tried here: docs/environments/oke-node-pools.md.
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
    // Nobody keeps a GPU machine spare: one after the other leaves before its successor is there.
    maximumSurge: ofGpus ? "0" : "1",
    maximumUnavailable: ofGpus ? "1" : "0",
  };
}

/** A new pool is ready before the old one drains: whatever OKE would do to nodes in place, or not at all. */
const ALWAYS_REPLACED = [
  // Updatable, but the old nodes stay; and a pool never changes between machines with GPUs and without.
  "nodeShape",
  // A placement that changes ends nodes at once, and OKE refuses it in an update with cycling (409, as of any of these).
  "nodeConfigDetails.placementConfigs",
  "nodeConfigDetails.kmsKeyId",
  // Reported as applied, without effect on nodes (oracle/terraform-provider-oci#2011).
  "nodeConfigDetails.nodePoolPodNetworkOptionDetails",
];

/** What a new boot volume cannot change, besides those, nor a pool without cycling. */
const NOT_OF_BOOT_VOLUMES = [
  "initialNodeLabels",
  "nodeConfigDetails.isPvEncryptionInTransitEnabled",
  "nodeConfigDetails.nsgIds",
];

/** Properties of a node pool that make a new one. */
export function replacedOnChange(pool: Pool & Pick<OkePool, "image">): string[] {
  return [
    ...ALWAYS_REPLACED,
    ...(cyclingOf(pool) === "instance" ? [] : NOT_OF_BOOT_VOLUMES),
    // A found image stays (below), and is of one version: an upgrade makes a pool of the newest image of the new one.
    ...(pool.image === undefined ? ["kubernetesVersion"] : []),
  ];
}

/** Properties of a node pool that are others' once it exists. A replacement takes them from the program again. */
export function ignoredChanges(pool: Pool & Pick<OkePool, "image">): string[] {
  return [
    ...(isAutoscaled(pool) ? ["nodeConfigDetails.size"] : []),
    // Oracle publishes images every few weeks: a pool that nobody touched must not be rolled by an unrelated update.
    ...(pool.image === undefined ? ["nodeSourceDetails.imageId"] : []),
  ];
}
