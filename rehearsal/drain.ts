import { setTimeout as sleep } from "node:timers/promises";
import { type ClusterState, type PodState, podFact, podObject, podsOfWorkload, readState } from "./cluster-state";
import { nodesOfPool, type PoolNode } from "./pool-nodes";
import { readyReplicas, waitingPods } from "./readiness";
import { type RehearsedCluster, removeNode } from "./rehearsed-cluster";
import type { DrainFact, PodFact } from "./report/schema";
import { LOOK_EVERY_MS, Rest, settle } from "./settle";
import { secondsSince } from "./stopwatch";
import { isHead, isService, type Workload } from "./workloads";

/** Time limit of a drain that progresses, in seconds. */
const LIMIT_SECONDS = 120;

/**
 * Drains a node like `kubectl drain --ignore-daemonsets`, and uncordons it. Retries evictions held
 * by disruption budgets. If replacements cannot be scheduled, adds nodes up to the pool's limit.
 *
 * Retries every 0.2 seconds; kubectl every five.
 */
export async function drainNode(cluster: RehearsedCluster, node: PoolNode): Promise<DrainFact> {
  const started = Date.now();
  const { client } = cluster;
  await client.patch(node.object, { spec: { unschedulable: true } });
  const drain = new Drain(cluster, node, await readState(client));
  const added: PoolNode[] = [];
  let waiting: PodFact[] | undefined;
  let finished = await drain.run();
  for (const spare of sparesOf(cluster, node)) {
    if (finished) {
      break;
    }
    waiting ??= waitingPods(drain.state).map(podFact);
    await client.create(spare.object);
    added.push(spare);
    finished = await drain.run();
  }
  if (added.length === 0) {
    const { state } = await settle(client, cluster.workloads);
    drain.look(state);
    waiting = waitingPods(state).map(podFact);
  }
  await client.patch(node.object, { spec: { unschedulable: null } });
  let rest = await settle(client, cluster.workloads);
  for (const spare of added) {
    await removeNode(cluster, spare, rest.state);
    rest = await settle(client, cluster.workloads);
  }
  return {
    ...drain.facts(),
    node: node.object.metadata.name,
    pool: node.pool.name,
    addedNodes: added.length,
    finished,
    waiting: waiting ?? [],
    recovered: rest.allReady,
    seconds: secondsSince(started),
  };
}

/** Nodes that may be added to a node's pool. */
function sparesOf({ plan, machines, nodes }: RehearsedCluster, { pool }: PoolNode): PoolNode[] {
  const present = new Set(nodes.map(({ object }) => object.metadata.name));
  const most = nodesOfPool(plan, pool, { count: pool.maxNodes, machines });
  return most.filter(({ object }) => !present.has(object.metadata.name));
}

class Drain {
  private readonly goals: ReadonlySet<string>;
  private readonly fewest = new Map<Workload, number>();
  private readonly heldBy = new Map<string, { refusals: number; message: string }>();
  private readonly headless = new Set<Workload>();
  private evicted = 0;

  constructor(
    private readonly cluster: RehearsedCluster,
    node: PoolNode,
    /** Latest observed state. */
    public state: ClusterState,
  ) {
    const name = node.object.metadata.name;
    this.goals = new Set(
      state.pods.filter((pod) => pod.node === name && !pod.finished && !pod.ofDaemonSet).map(({ uid }) => uid),
    );
    const affected = cluster.workloads.filter(isService);
    for (const workload of affected) {
      this.fewest.set(workload, readyReplicas(workload, state));
    }
  }

  /** Continues until all pods have left (true), or the rest is held and nothing changes (false). */
  async run(): Promise<boolean> {
    const until = Date.now() + LIMIT_SECONDS * 1000;
    const rest = new Rest(this.cluster.workloads);
    while (Date.now() < until) {
      const remaining = this.state.pods.filter(({ uid }) => this.goals.has(uid));
      if (remaining.length === 0) {
        return true;
      }
      const moved = await Promise.all(
        remaining.filter(({ terminating }) => !terminating).map((pod) => this.evict(pod)),
      );
      await sleep(LOOK_EVERY_MS);
      this.look(await readState(this.cluster.client));
      if (!moved.includes(true) && rest.isReached(this.state)) {
        return false;
      }
    }
    return false;
  }

  /** Records a state. */
  look(state: ClusterState): void {
    this.state = state;
    for (const [workload, fewest] of this.fewest) {
      this.fewest.set(workload, Math.min(fewest, readyReplicas(workload, state)));
    }
  }

  /** Counts a replica as unavailable, even if its replacement appears before the next check. */
  private countAway(pod: PodState): void {
    for (const [workload, fewest] of this.fewest) {
      const isOfWorkload = podsOfWorkload(workload, { ...this.state, pods: [pod] }).length > 0;
      if (isOfWorkload) {
        this.fewest.set(workload, Math.min(fewest, workload.replicas - 1));
        if (isHead(pod)) {
          this.headless.add(workload);
        }
      }
    }
  }

  facts(): Pick<DrainFact, "evicted" | "pods" | "heldBy" | "workloads"> {
    return {
      evicted: this.evicted,
      pods: this.goals.size,
      heldBy: [...this.heldBy].map(([budget, { refusals, message }]) => ({ budget, refusals, message })),
      workloads: [...this.fewest]
        .map(([workload, fewest]) => ({
          namespace: workload.namespace,
          name: workload.name,
          model: workload.model,
          replicas: workload.replicas,
          fewest,
          ...(this.headless.has(workload) && { headLeft: true as const }),
        }))
        .filter(({ replicas, fewest }) => fewest < replicas),
    };
  }

  /** Whether the eviction was accepted. */
  private async evict(pod: PodState): Promise<boolean> {
    const { status, body } = await this.cluster.client.evict(podObject(pod));
    if (status < 300) {
      this.evicted += 1;
      this.countAway(pod);
    }
    // 404 and 409: already gone, or replaced under the same name.
    if (status < 300 || status === 404 || status === 409) {
      return true;
    }
    const message = budgetMessage(body);
    const budget = `${pod.namespace}/${/disruption budget (?<name>\S+)/.exec(message)?.groups?.name ?? pod.name}`;
    const { refusals } = this.heldBy.get(budget) ?? { refusals: 0 };
    this.heldBy.set(budget, { refusals: refusals + 1, message });
    return false;
  }
}

/** Budget named by a refused eviction, or the refusal's message. */
function budgetMessage(body: unknown): string {
  const { message = "", details } = body as {
    readonly message?: string;
    readonly details?: { readonly causes?: readonly { readonly message?: string }[] };
  };
  return details?.causes?.[0]?.message ?? message;
}
