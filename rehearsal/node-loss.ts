import { type ClusterState, type PodState, podFact, podsOfWorkload, readState } from "./cluster-state";
import type { PoolNode } from "./pool-nodes";
import { readyReplicas } from "./readiness";
import { type RehearsedCluster, removeNode } from "./rehearsed-cluster";
import type { LossFact } from "./report/schema";
import { settle } from "./settle";
import { secondsSince } from "./stopwatch";
import { GROUP_LABELS, isService, type Workload } from "./workloads";

/** Removes a node, observes the platform, and replaces the node. */
export async function loseNode(cluster: RehearsedCluster, node: PoolNode): Promise<LossFact> {
  const started = Date.now();
  const { client, workloads } = cluster;
  const before = await readState(client);
  const hit = workloads.filter(isService).filter((workload) => podsOn(workload, node, before).length > 0);
  const groups = hit.flatMap((workload) => groupsOn(workload, node, before));

  await removeNode(cluster, node, before);
  const { state: without } = await settle(client, workloads);
  await client.create(node.object);
  const { state: after, allReady } = await settle(client, workloads);
  return {
    node: node.object.metadata.name,
    pool: node.pool.name,
    pods: before.pods.filter((pod) => pod.node === node.object.metadata.name && !pod.finished).length,
    workloads: workloads
      .filter(isService)
      .map((workload) => ({ workload, left: readyReplicas(workload, without) }))
      .filter(({ workload, left }) => hit.includes(workload) || left < workload.replicas)
      .map(({ workload, left }) => {
        const { namespace, name, model, replicas } = workload;
        const waiting = podsOfWorkload(workload, without).filter(({ ready }) => !ready);
        return { namespace, name, model, replicas, left, waiting: waiting.map(podFact) };
      }),
    groups: groups.map(({ name, workload, index, uids }) => ({
      name,
      restartedAsGroup: !podsOfGroup(workload, index, after).some(({ uid }) => uids.has(uid)),
    })),
    recovered: allReady,
    seconds: secondsSince(started),
  };
}

function podsOn(workload: Workload, { object }: PoolNode, state: ClusterState): PodState[] {
  return podsOfWorkload(workload, state).filter(({ node }) => node === object.metadata.name);
}

interface GroupBefore {
  readonly name: string;
  readonly workload: Workload;
  readonly index: string;
  readonly uids: ReadonlySet<string>;
}

function groupsOn(workload: Workload, node: PoolNode, state: ClusterState): GroupBefore[] {
  if (workload.kind !== "LeaderWorkerSet") {
    return [];
  }
  const indexes = new Set(podsOn(workload, node, state).flatMap(({ labels }) => labels[GROUP_LABELS.group] ?? []));
  return [...indexes].map((index) => ({
    name: `${workload.model ?? workload.name}-${index}`,
    workload,
    index,
    uids: new Set(podsOfGroup(workload, index, state).map(({ uid }) => uid)),
  }));
}

function podsOfGroup(workload: Workload, index: string, state: ClusterState): PodState[] {
  return podsOfWorkload(workload, state).filter(({ labels }) => labels[GROUP_LABELS.group] === index);
}
