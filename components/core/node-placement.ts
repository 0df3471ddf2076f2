import type { Labels } from "../../names/labels";
import type { Taint } from "../../planner/types";
import type { HelmValues } from "./chart-release";
import { toleration } from "./hardened-pod";

/** Nodes of a pool, for pod scheduling. */
export interface PoolNodes {
  readonly nodeSelector: Labels;
  readonly tolerations: readonly Taint[];
  /** Labels that nodes get when ready for the pods, with any value. @default none */
  readonly having?: readonly string[];
}

export interface NodePlacement {
  readonly affinity: HelmValues;
  readonly tolerations: HelmValues[];
}

/**
 * One DaemonSet for all pools: node affinity terms are alternatives. A pool without labels (an edge
 * node) needs no affinity: an empty term matches nothing.
 */
export function nodePlacement(pools: readonly PoolNodes[]): NodePlacement {
  const terms = pools.map(({ nodeSelector, having = [] }) => ({
    matchExpressions: [
      ...Object.entries(nodeSelector).map(([key, value]) => ({ key, operator: "In", values: [value] })),
      ...having.map((key) => ({ key, operator: "Exists" })),
    ],
  }));
  const everywhere = terms.some(({ matchExpressions }) => matchExpressions.length === 0);
  return {
    affinity: everywhere
      ? {}
      : { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
    tolerations: tolerationsOf(pools.flatMap(({ tolerations }) => tolerations)).map((each) => ({ ...each })),
  };
}

export function tolerationsOf(taints: readonly Taint[]): ReturnType<typeof toleration>[] {
  const each = new Map(taints.map((taint) => [JSON.stringify(taint), toleration(taint)]));
  return [...each.values()];
}
