import type { ClusterState, PodState } from "../../rehearsal/cluster-state";
import type { GroupFact, PodFact, RehearsalFacts, WorkloadFact } from "../../rehearsal/report/schema";
import { GROUP_LABELS, type Workload } from "../../rehearsal/workloads";

export const NO_GPU =
  "0/3 nodes are available: 3 Insufficient nvidia.com/gpu. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.";

/** A ready pod on a node, unless said otherwise. */
export function podState(changes: Partial<PodState> & Pick<PodState, "name">): PodState {
  return {
    namespace: "model-chat",
    uid: changes.name,
    labels: { app: "chat" },
    node: "gpu-0",
    ready: true,
    waitsFor: null,
    finished: false,
    terminating: false,
    unschedulable: false,
    ofDaemonSet: false,
    ...changes,
  };
}

/** A pod that the scheduler found no node for. */
export function unschedulable(changes: Partial<PodState> & Pick<PodState, "name">): PodState {
  return podState({ node: null, ready: false, unschedulable: true, waitsFor: NO_GPU, ...changes });
}

export function stateOf(pods: readonly PodState[], completedJobs: readonly string[] = []): ClusterState {
  return { pods, completedJobs: new Set(completedJobs) };
}

/** A Deployment of two pods with label app=chat, unless said otherwise. */
export function workload(changes: Partial<Workload> = {}): Workload {
  return {
    kind: "Deployment",
    namespace: "model-chat",
    name: "chat",
    model: "chat",
    replicas: 2,
    size: 1,
    selector: { app: "chat" },
    ...changes,
  };
}

/** One group of a leader and a worker. */
export const groupSet = workload({
  kind: "LeaderWorkerSet",
  replicas: 1,
  size: 2,
  selector: { [GROUP_LABELS.set]: "chat" },
});

/** Labels of a pod of `groupSet`. */
export function member(index: number, group = 0): Readonly<Record<string, string>> {
  return {
    [GROUP_LABELS.set]: "chat",
    [GROUP_LABELS.group]: String(group),
    [GROUP_LABELS.worker]: String(index),
  };
}

/** A ready pod in a report, unless said otherwise. */
export function podFact(changes: Partial<PodFact> = {}): PodFact {
  return { namespace: "model-chat", name: "chat-0", node: "gpu-0", ready: true, waitsFor: null, ...changes };
}

export function workloadFact(changes: Partial<WorkloadFact> = {}): WorkloadFact {
  return {
    kind: "Deployment",
    namespace: "model-chat",
    name: "chat",
    model: "chat",
    replicas: 1,
    readyReplicas: 1,
    size: 1,
    pods: [podFact()],
    missing: null,
    ...changes,
  };
}

/** A group of a leader on gpu-0 and a worker on gpu-1. */
export function groupFact(changes: Partial<GroupFact> = {}): GroupFact {
  return {
    name: "chat-0",
    namespace: "model-chat",
    model: "chat",
    size: 2,
    pods: [
      { ...podFact({ name: "chat-0" }), role: "leader", index: 0 },
      { ...podFact({ name: "chat-0-1", node: "gpu-1" }), role: "worker", index: 1 },
    ],
    complete: true,
    onePodPerNode: true,
    ...changes,
  };
}

/** What a rehearsal of one model on one pool sees when all goes well. */
export function facts(changes: Partial<RehearsalFacts> = {}): RehearsalFacts {
  return {
    environment: "test",
    pools: [{ name: "gpu", shape: "VM.GPU.A10.2", nodes: 2, minNodes: 2, maxNodes: 3, gpusPerNode: 2 }],
    nodes: [
      { name: "gpu-0", pool: "gpu" },
      { name: "gpu-1", pool: "gpu" },
    ],
    models: [{ name: "chat", pool: "gpu", replicas: 1, nodesPerReplica: 1 }],
    objects: { applied: 12, refused: [] },
    workloads: [workloadFact()],
    groups: [],
    drains: [],
    losses: [],
    notRehearsed: { charts: ["cert-manager"], customResourceKinds: ["Gateway"], cronJobs: [] },
    ...changes,
  };
}
