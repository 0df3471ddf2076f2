import type { KubernetesObject } from "../kubernetes/object";
import { hostsOf } from "../planner/shared-servers";
import type { DeploymentPlan, PoolPlan } from "../planner/types";
import type { EnvironmentConfig } from "../stacks/config";
import { nodesOf, numbered } from "./cluster/existing-parts";
import type { ClusterState } from "./cluster-state";

/** Nodes of a pool, by its name. */
export type NodeCounts = Readonly<Record<string, number>>;

/** A node of the rehearsal, and the pool that it belongs to. */
export interface PoolNode {
  readonly pool: PoolPlan;
  readonly object: KubernetesObject;
}

/** Names of the machines that become nodes, where an environment names them: volumes on their disks are of nodes so called. */
export function machinesOf({ cluster }: Pick<EnvironmentConfig, "cluster">): string[] {
  return cluster.kind === "edge" ? Object.keys(cluster.hosts ?? {}) : [];
}

/**
 * The nodes that the rehearsal starts with: as many as the plan pays for, which is each pool's minimum, and those that an
 * autoscaler makes for the first replicas of models that sleep later.
 *
 * @param counts other numbers, for some pools.
 * @param machines what `machinesOf` finds.
 */
export function startNodes(plan: DeploymentPlan, counts: NodeCounts, machines: readonly string[]): PoolNode[] {
  return plan.pools.flatMap((pool) => {
    return nodesOfPool(plan, pool, { count: counts[pool.name] ?? nodesAtFirst(plan, pool), machines });
  });
}

function nodesAtFirst({ models }: DeploymentPlan, { name, minNodes, maxNodes }: PoolPlan): number {
  const sleepers = hostsOf(models).filter(({ pool, minReplicas }) => pool === name && minReplicas === 0);
  const more = sleepers.reduce((sum, { nodesPerReplica }) => sum + nodesPerReplica, 0);
  return Math.max(minNodes, Math.min(maxNodes, minNodes + more));
}

/** The first nodes of a pool. Machines are of the only pool: validation refuses others beside it. */
export function nodesOfPool(
  plan: DeploymentPlan,
  pool: PoolPlan,
  { count, machines }: { readonly count: number; readonly machines: readonly string[] },
): PoolNode[] {
  const nodes = nodesOf(
    plan,
    ({ name }) => (name === pool.name ? count : 0),
    (own, index) => machines[index] ?? numbered(own, index),
  );
  return nodes.map((object) => ({ pool, object }));
}

/** The node of each pool on which most pods run; none for a pool without any. Of equals the first. */
export function busiestNodes(nodes: readonly PoolNode[], { pods }: ClusterState): PoolNode[] {
  const load = ({ object }: PoolNode): number =>
    pods.filter(({ node, finished }) => node === object.metadata.name && !finished).length;
  const pools = [...new Set(nodes.map(({ pool }) => pool))];
  return pools.flatMap((pool) =>
    nodes
      .filter((node) => node.pool === pool && load(node) > 0)
      .sort((a, b) => load(b) - load(a))
      .slice(0, 1),
  );
}
