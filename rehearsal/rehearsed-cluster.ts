import { setTimeout as sleep } from "node:timers/promises";
import type { DeploymentPlan } from "../planner/types";
import type { ApiClient } from "./cluster/api-client";
import { type ClusterState, type PodState, podObject, readState } from "./cluster-state";
import type { PoolNode } from "./pool-nodes";
import { LOOK_EVERY_MS } from "./settle";
import { GROUP_LABELS, type Workload } from "./workloads";

/** Reaction time of the group controller, in seconds. */
const REACTION_SECONDS = 15;

export interface RehearsedCluster {
  readonly client: ApiClient;
  readonly plan: DeploymentPlan;
  /** What `machinesOf` found. */
  readonly machines: readonly string[];
  readonly nodes: readonly PoolNode[];
  readonly workloads: readonly Workload[];
}

/**
 * Removes a node as after a failure: deletes the Node, requests pod deletion, then forces it. Real
 * clusters wait minutes between steps; here only until the group controller sees the terminating
 * pod, as it ignores pods that vanish.
 */
export async function removeNode(
  { client }: RehearsedCluster,
  { object }: PoolNode,
  { pods }: ClusterState,
): Promise<void> {
  await client.delete(object);
  const lost = pods.filter(({ node }) => node === object.metadata.name);
  await Promise.all(lost.map((pod) => client.delete(podObject(pod))));
  const leaders = pods.filter((pod) => isLeader(pod) && lost.some((member) => isSameGroup(pod, member)));
  const until = Date.now() + REACTION_SECONDS * 1000;
  while (leaders.length > 0 && Date.now() < until) {
    const { pods: now } = await readState(client);
    if (!now.some(({ uid, terminating }) => !terminating && leaders.some((leader) => leader.uid === uid))) {
      break;
    }
    await sleep(LOOK_EVERY_MS);
  }
  await Promise.all(lost.map((pod) => client.delete(podObject(pod), 0)));
}

function isLeader({ labels }: PodState): boolean {
  return labels[GROUP_LABELS.worker] === "0";
}

function isSameGroup(one: PodState, other: PodState): boolean {
  return (
    one.namespace === other.namespace &&
    [GROUP_LABELS.set, GROUP_LABELS.group].every((key) => one.labels[key] === other.labels[key])
  );
}
