import { type ClusterState, type PodState, podsOfWorkload } from "./cluster-state";
import { groupsOf } from "./groups";
import { GROUP_LABELS, isHead, isService, podsWanted, type Workload } from "./workloads";

/** Ready replicas of a workload; completions of a Job. */
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

/** Whether every workload is complete and no pod is terminating. */
export function isAllReady(workloads: readonly Workload[], state: ClusterState): boolean {
  return (
    workloads.every((workload) => readyReplicas(workload, state) >= workload.replicas) &&
    state.pods.every(({ terminating }) => !terminating)
  );
}

/** Whether nothing will change: every expected pod is ready, or unschedulable with a reason. */
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
  // Exclusive groups create workers only after their leader is scheduled.
  return pods.length === podsWanted(workload) || pods.some(isWaitingLeader);
}

function isWaitingLeader({ labels, unschedulable }: PodState): boolean {
  return unschedulable && labels[GROUP_LABELS.worker] === "0";
}

export function waitingPods({ pods }: ClusterState): PodState[] {
  return pods.filter(({ waitsFor, terminating }) => waitsFor !== null && !terminating);
}

/** Scheduler's message for unbound claims of classes with immediate binding. */
export function waitsForVolume({ waitsFor }: Pick<PodState, "waitsFor">): boolean {
  return waitsFor?.includes("unbound immediate PersistentVolumeClaims") === true;
}
