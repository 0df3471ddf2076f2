import type { KubernetesObject } from "../kubernetes/object";
import { hostsOf } from "../planner/shared-servers";
import type { DeploymentPlan, PoolPlan } from "../planner/types";
import type { EnvironmentConfig } from "../stacks/config";
import { nodesOf, numbered } from "./cluster/existing-parts";
import type { ClusterState } from "./cluster-state";

export type NodeCounts = Readonly<Record<string, number>>;

export interface PoolNode {
  readonly pool: PoolPlan;
  readonly object: KubernetesObject;
}

/** Machines named by the environment, to which local volumes refer. */
export function machinesOf({ cluster }: Pick<EnvironmentConfig, "cluster">): string[] {
  return cluster.kind === "edge" ? Object.keys(cluster.hosts ?? {}) : [];
}

/**
 * Initial nodes: each pool's minimum, as the plan's cost assumes, plus those of first replicas of
 * sleeping models.
 *
 * @param counts other numbers, for some pools.
 * @param machines from `machinesOf`.
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

/** First nodes of a pool. Validation allows only one pool with machines. */
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

/** Node with most pods in each pool, the first of equals; none for a pool without pods. */
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
