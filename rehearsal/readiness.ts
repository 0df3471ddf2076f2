import { type ClusterState, type PodState, podsOfWorkload } from "./cluster-state";
import { groupsOf } from "./groups";
import { GROUP_LABELS, isHead, isService, podsWanted, type Workload } from "./workloads";

/** Replicas of a workload that serve; of a Job, the ones that have ended well. */
export function readyReplicas(workload: Workload, state: ClusterState): number {
  const { kind, namespace, name, replicas } = workload;
  if (kind === "Job") {
    return state.completedJobs.has(`${namespace}/${name}`) ? replicas : 0;
  }
  if (kind === "LeaderWorkerSet") {
    return groupsOf(workload, state).filter(({ complete }) => complete).length;
  }
  const pods = podsOfWorkload(workload, state).filter(({ ready }) => ready);
  const heads = pods.filter(isHead).length;
  return heads < (workload.heads ?? 0) ? 0 : pods.length - heads;
}

/** Whether every workload has all it should have, and no pod is about to leave. */
export function isAllReady(workloads: readonly Workload[], state: ClusterState): boolean {
  return (
    workloads.every((workload) => readyReplicas(workload, state) >= workload.replicas) &&
    state.pods.every(({ terminating }) => !terminating)
  );
}

/**
 * Whether nothing will happen by itself: every pod that should be there is ready, or the scheduler has said why it has
 * no place.
 */
export function isStill(workloads: readonly Workload[], state: ClusterState): boolean {
  return (
    state.pods.every(({ terminating }) => !terminating) &&
    workloads.every((workload) => isWorkloadStill(workload, state))
  );
}

function isWorkloadStill(workload: Workload, state: ClusterState): boolean {
  const pods = podsOfWorkload(workload, state);
  if (!pods.every(({ ready, unschedulable }) => ready || unschedulable)) {
    return false;
  }
  if (!isService(workload)) {
    return pods.some(({ unschedulable }) => unschedulable) || readyReplicas(workload, state) >= workload.replicas;
  }
  // A set that keeps each group to itself makes the workers only when their leader has a node.
  return pods.length === podsWanted(workload) || pods.some(isWaitingLeader);
}

function isWaitingLeader({ labels, unschedulable }: PodState): boolean {
  return unschedulable && labels[GROUP_LABELS.worker] === "0";
}

/** Pods that have no place, or are not ready for another reason. */
export function waitingPods({ pods }: ClusterState): PodState[] {
  return pods.filter(({ waitsFor, terminating }) => waitsFor !== null && !terminating);
}

/** The scheduler's own words for claims without a volume, of classes that bind at once. */
export function waitsForVolume({ waitsFor }: Pick<PodState, "waitsFor">): boolean {
  return waitsFor?.includes("unbound immediate PersistentVolumeClaims") === true;
}
