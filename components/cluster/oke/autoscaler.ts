import * as pulumi from "@pulumi/pulumi";
import { isOciBareMetal } from "../../../catalog/shapes";
import { localDisksGiB } from "../../../planner/local-disks";
import { type AddonSettings, tolerationsOfDeployments } from "./addon-table";
import { taintText } from "./kubelet";
import type { OkePool } from "./settings";

/**
 * Oracle's build of cluster-autoscaler, an add-on: it adds nodes for pods that find no room, and takes nodes away that
 * hold none which could not run elsewhere.
 *
 * Keys: docs.oracle.com, ContEng/Tasks/configuration-arguments-cluster-autoscaler, page of 2026-09-05; what it reads of
 * a pool: kubernetes/autoscaler, cluster-autoscaler/cloudprovider/oci/nodepools; both read 2026-11-23.
 */
export const AUTOSCALER = {
  addon: "ClusterAutoscaler",
  namespace: "kube-system",
  serviceAccount: "cluster-autoscaler",
};

/** Whether the autoscaler owns the number of a pool's nodes: nobody else may set it then. */
export function isAutoscaled({ plan }: Pick<OkePool, "plan">): boolean {
  return plan.minNodes < plan.maxNodes;
}

/** What the autoscaler does, and why. */
const BEHAVIOUR: AddonSettings = {
  // Pods prove who they are themselves: by default every pod of a node could do what the autoscaler may.
  authType: "workload",
  numOfReplicas: "1",
  // The pool that has the least left over. "price" does not exist here.
  expander: "least-waste",
  // Deployments leave a pool's size alone, so this is what carries out a raised minNodes.
  enforceNodeGroupMinSize: "true",
  // A pool is one shape in the domains that it names. Two pools are two on purpose, and never filled evenly.
  balanceSimilarNodeGroups: "false",
  // By default a node is never taken away while a pod on it has an emptyDir: each of ours has.
  skipNodesWithLocalStorage: "false",
  // By default neither while a pod of kube-system is on it, and CoreDNS is on every fourth.
  skipNodesWithSystemPods: "false",
  // Every node has the same DaemonSets; a small one would never count as empty.
  ignoreDaemonsetsUtilization: "true",
  // No new pods on a node that is about to go.
  cordonNodeBeforeTerminating: "true",
  scaleDownUnneededTime: "10m",
  scaleDownDelayAfterAdd: "10m",
  // What docs/operations.md says of drains: the autoscaler ends pods after ten minutes, whatever they ask for.
  maxGracefulTerminationSec: "600",
};

/** Until a node counts as failed. Machines without a hypervisor take 15 minutes and more to boot. */
const PROVISION_MINUTES = { virtual: 15, bareMetal: 30 };

/**
 * Settings of the add-on.
 *
 * @param ids OCIDs of the node pools by name.
 * @throws Error for a pool without an OCID.
 */
export function autoscalerSettings(
  pools: readonly OkePool[],
  ids: Readonly<Record<string, pulumi.Input<string>>>,
): Readonly<Record<string, pulumi.Input<string>>> {
  const scaled = pools.filter(isAutoscaled);
  const groups = scaled.map(({ plan: { name, minNodes, maxNodes } }) => {
    const id = ids[name];
    if (id === undefined) {
      throw new Error(`node pool "${name}" has no OCID`);
    }
    return pulumi.interpolate`${minNodes}:${maxNodes}:${id}`;
  });
  const bareMetal = scaled.some(({ plan }) => isOciBareMetal(plan.shape));
  return {
    ...BEHAVIOUR,
    ...tolerationsOfDeployments(pools),
    nodes: pulumi.all(groups).apply((each) => each.join(", ")),
    maxNodeProvisionTime: `${bareMetal ? PROVISION_MINUTES.bareMetal : PROVISION_MINUTES.virtual}m`,
  };
}

/**
 * What the autoscaler may do: sizes of node pools, and what those take to make and take away machines. Oracle's own list
 * (kubernetes/autoscaler, cloudprovider/oci/README.md, workload identity), each for one compartment and one service account.
 */
export function autoscalerGrants(compartmentId: string): string[] {
  const what = [
    "manage cluster-node-pools",
    "manage instance-family",
    "use subnets",
    "read virtual-network-family",
    "use vnics",
    "inspect compartments",
  ];
  return what.map((verb) => `${verb} in compartment id ${compartmentId}`);
}

/** Share of a boot volume that pods may ask for: the kubelet keeps a tenth free, and the system has its part. */
const DISK_FOR_PODS = 0.85;

/**
 * Freeform tags of a node pool by which the autoscaler learns what a node of it offers, while there is none to look at:
 * disk, without which pods that ask for it (all of ours) fit no pool of zero nodes, taints, and cards.
 *
 * It knows processors, memory, labels and the number of cards by the pool itself, and takes all cards for NVIDIA's. Tags of
 * `node-template` are read since July 2026; older builds pass over them.
 */
export function nodeTemplateTags({
  plan,
  bootVolumeGiB,
}: Pick<OkePool, "plan" | "bootVolumeGiB">): Record<string, string> {
  const template = "cluster-autoscaler/node-template";
  const { gpu } = plan.shape;
  return {
    "cluster-autoscaler/node-ephemeral-storage": `${plan.localDisks ? localDisksGiB(plan) : Math.floor(bootVolumeGiB * DISK_FOR_PODS)}Gi`,
    // Keys of tags have no dots, so the names of taints and resources stand in the values.
    ...Object.fromEntries(plan.taints.map((taint, i) => [`${template}/taint/${i}`, taintText(taint, plan)])),
    ...(gpu && { [`${template}/resources/gpu`]: `${gpu.resource}=${gpu.count}` }),
  };
}
