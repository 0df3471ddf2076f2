import { findShape, hourlyUsd } from "../catalog/shapes";
import type { KubernetesObject } from "../kubernetes/object";
import type { DeploymentPlan } from "../planner/types";
import { type MadeNode, type NodePool, planPoolOf } from "./autoscaler-nodes";
import type { PoolNode } from "./pool-nodes";
import type { AutoscalerFact, Finding, RehearsalFacts } from "./report/schema";

interface NodeClaim extends KubernetesObject {
  readonly status?: {
    readonly nodeName?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastTransitionTime: string;
    }[];
  };
}

interface Seen {
  readonly nodePools: readonly NodePool[];
  readonly groupNodes: readonly PoolNode[];
  readonly made: readonly MadeNode[];
  /** NodeClaims: Karpenter's records of its nodes. */
  readonly claims: readonly KubernetesObject[];
  /** Creation of the first pods, in milliseconds since 1970. */
  readonly since: number;
}

export function autoscalerFact(
  { pools }: Pick<DeploymentPlan, "pools">,
  { nodePools, groupNodes, made, claims, since }: Seen,
): AutoscalerFact {
  const readyAt = initializedAt(claims as readonly NodeClaim[]);
  return {
    name: "Karpenter 1.14.1",
    pools: nodePools.flatMap((nodePool) => {
      const pool = pools.find(({ name }) => name === planPoolOf(nodePool));
      if (pool === undefined) {
        return [];
      }
      const own = made.filter((node) => node.nodePool === nodePool.metadata.name);
      const last = Math.max(...own.map(({ name }) => readyAt.get(name) ?? Number.NaN));
      return {
        name: pool.name,
        shape: pool.shape.name,
        groupNodes: groupNodes.filter((node) => node.pool.name === pool.name).length,
        maxNodes: pool.maxNodes,
        made: own.map(({ name, shape, capacityType, zone }) => ({ name, shape, capacityType, zone })),
        seconds: Number.isFinite(last) ? Math.max(0, Math.round((last - since) / 1000)) : null,
        usdPerHour: usdPerHour(own),
      };
    }),
  };
}

export function isInitialized(claim: KubernetesObject): boolean {
  return initialized(claim as NodeClaim) !== undefined;
}

function initialized({ status }: NodeClaim) {
  return status?.conditions?.find(({ type, status: is }) => type === "Initialized" && is === "True");
}

/** When each node accepted pods, by name. */
function initializedAt(claims: readonly NodeClaim[]): ReadonlyMap<string, number> {
  return new Map(
    claims.flatMap((claim) => {
      const nodeName = claim.status?.nodeName;
      const since = initialized(claim)?.lastTransitionTime;
      return nodeName === undefined || since === undefined ? [] : [[nodeName, Date.parse(since)] as const];
    }),
  );
}

/** Total on-demand list price; null if one is unknown. */
function usdPerHour(nodes: readonly MadeNode[]): number | null {
  const prices = nodes.map(({ shape }) => {
    const known = findShape(shape);
    return known === undefined ? undefined : hourlyUsd(known);
  });
  const sum = prices.reduce<number>((all, price) => all + (price ?? Number.NaN), 0);
  return Number.isNaN(sum) ? null : Math.round(sum * 10_000) / 10_000;
}

/**
 * Nodes that differ from the plan: another machine, or more than planned and budgeted for the same
 * pods.
 */
export function autoscalerFindings({ autoscaler, pools }: Pick<RehearsalFacts, "autoscaler" | "pools">): Finding[] {
  const broken = (subject: string, message: string): Finding => {
    return { severity: "broken", rule: "autoscaler", subject, message };
  };
  return (autoscaler?.pools ?? []).flatMap(({ name, shape, groupNodes, maxNodes, made }) => {
    const others = made.filter((node) => node.shape !== shape);
    const all = groupNodes + made.length;
    const paid = pools.find((pool) => pool.name === name)?.minNodes ?? maxNodes;
    return [
      ...(others.length > 0
        ? [broken(`pool ${name}`, `is planned as ${shape}, and has ${others.map((node) => node.shape).join(", ")}`)]
        : []),
      ...(all > paid
        ? [
            broken(
              `pool ${name}`,
              `has ${all} nodes; the plan needs ${paid} for the same pods, and no more is in its cost`,
            ),
          ]
        : []),
    ];
  });
}
