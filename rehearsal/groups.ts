import { type ClusterState, type PodState, podFact, podsOfWorkload } from "./cluster-state";
import type { GroupFact } from "./report/schema";
import { GROUP_LABELS, type Workload } from "./workloads";

/** Expected groups of a LeaderWorkerSet, with their pods. */
export function groupsOf(workload: Workload, state: ClusterState): GroupFact[] {
  if (workload.kind !== "LeaderWorkerSet") {
    return [];
  }
  const pods = podsOfWorkload(workload, state);
  return Array.from({ length: workload.replicas }, (_, index) =>
    groupFact(
      workload,
      index,
      pods.filter(({ labels }) => labels[GROUP_LABELS.group] === String(index)),
    ),
  );
}

function groupFact({ name, model, namespace, size }: Workload, index: number, pods: readonly PodState[]): GroupFact {
  const members = pods
    .map((pod) => ({ pod, index: Number(pod.labels[GROUP_LABELS.worker]) }))
    .sort((a, b) => a.index - b.index);
  const nodes = pods.flatMap(({ node }) => node ?? []);
  return {
    name: `${model ?? name}-${index}`,
    namespace,
    model: model ?? name,
    size,
    pods: members.map(({ pod, index: worker }) => ({
      ...podFact(pod),
      role: worker === 0 ? "leader" : "worker",
      index: worker,
    })),
    complete: pods.length === size && pods.every(({ ready }) => ready),
    onePodPerNode: new Set(nodes).size === nodes.length,
  };
}
