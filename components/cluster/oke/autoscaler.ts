import * as pulumi from "@pulumi/pulumi";
import { isOciBareMetal } from "../../../catalog/shapes";
import { localDisksGiB } from "../../../planner/local-disks";
import { type AddonSettings, tolerationsOfDeployments } from "./addon-table";
import { taintText } from "./kubelet";
import type { OkePool } from "./settings";

/**
 * Oracle's cluster-autoscaler add-on.
 *
 * Keys: docs.oracle.com, ContEng/Tasks/configuration-arguments-cluster-autoscaler, page of
 * 2026-09-05; pool properties: kubernetes/autoscaler,
 * cluster-autoscaler/cloudprovider/oci/nodepools; both read 2026-11-23.
 */
export const AUTOSCALER = {
  addon: "ClusterAutoscaler",
  namespace: "kube-system",
  serviceAccount: "cluster-autoscaler",
};

/** Whether the autoscaler owns the pool's size, which no other program may then set. */
export function isAutoscaled({ plan }: Pick<OkePool, "plan">): boolean {
  return plan.minNodes < plan.maxNodes;
}

/** Autoscaler settings with reasons. */
const BEHAVIOUR: AddonSettings = {
  // Workload identity: by default every pod of a node has the autoscaler's permissions.
  authType: "workload",
  numOfReplicas: "1",
  // The pool with the least unused capacity. "price" does not exist here.
  expander: "least-waste",
  // Deployments do not change a pool's size, so this applies a raised minNodes.
  enforceNodeGroupMinSize: "true",
  // A pool is one shape in its domains. Two similar pools are deliberate and need no balancing.
  balanceSimilarNodeGroups: "false",
  // By default nodes with emptyDir pods are never removed: every platform pod has one.
  skipNodesWithLocalStorage: "false",
  // By default nodes with kube-system pods are not removed either, and CoreDNS runs on every
  // fourth.
  skipNodesWithSystemPods: "false",
  // Every node has the same DaemonSets; with them a small node would never be empty.
  ignoreDaemonsetsUtilization: "true",
  // No new pods on a node before its removal.
  cordonNodeBeforeTerminating: "true",
  scaleDownUnneededTime: "10m",
  scaleDownDelayAfterAdd: "10m",
  // As documented in docs/operations.md: pods end after ten minutes, regardless of their grace
  // period.
  maxGracefulTerminationSec: "600",
};

/** Minutes until a node counts as failed. Bare metal takes 15 minutes or more to boot. */
const PROVISION_MINUTES = { virtual: 15, bareMetal: 30 };

/**
 * Settings of the autoscaler add-on.
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
 * IAM grants of the autoscaler: pool sizes and what they need. Oracle's list
 * (kubernetes/autoscaler, cloudprovider/oci/README.md, workload identity), limited to one
 * compartment and service account.
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

/** Share of a boot volume for pods: the kubelet keeps a tenth free, and the system needs space. */
const DISK_FOR_PODS = 0.85;

/**
 * Tags that describe nodes of an empty pool to the autoscaler: taints, GPUs and disk, which all
 * platform pods request.
 *
 * It infers CPUs, memory, labels and GPU count, and assumes NVIDIA. `node-template` tags are read
 * since July 2026; older builds ignore them.
 */
export function nodeTemplateTags({
  plan,
  bootVolumeGiB,
}: Pick<OkePool, "plan" | "bootVolumeGiB">): Record<string, string> {
  const template = "cluster-autoscaler/node-template";
  const { gpu } = plan.shape;
  return {
    "cluster-autoscaler/node-ephemeral-storage": `${plan.localDisks ? localDisksGiB(plan) : Math.floor(bootVolumeGiB * DISK_FOR_PODS)}Gi`,
    // Tag keys cannot contain dots, so values hold the names of taints and resources.
    ...Object.fromEntries(plan.taints.map((taint, i) => [`${template}/taint/${i}`, taintText(taint, plan)])),
    ...(gpu && { [`${template}/resources/gpu`]: `${gpu.resource}=${gpu.count}` }),
  };
}
