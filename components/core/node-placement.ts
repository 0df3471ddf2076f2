import type { Labels } from "../../names/labels";
import type { Taint } from "../../planner/types";
import type { HelmValues } from "./chart-release";
import { toleration } from "./hardened-pod";

/** Nodes of a pool, as pods choose them. */
export interface PoolNodes {
  /** Labels of the pool's nodes. */
  readonly nodeSelector: Labels;
  /** Taints of the pool's nodes. */
  readonly tolerations: readonly Taint[];
  /** Labels that the nodes get when they are ready for the pods, whatever their value. @default none */
  readonly having?: readonly string[];
}

/** Where pods run that belong on the nodes of some pools, as values of a chart. */
export interface NodePlacement {
  readonly affinity: HelmValues;
  readonly tolerations: HelmValues[];
}

/**
 * One DaemonSet serves all pools: the terms of a node affinity are alternatives. A pool without labels is the whole cluster (an
 * edge node), which a term cannot say: an empty one matches nothing.
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

/** Tolerations of pods for each of the taints, once. */
export function tolerationsOf(taints: readonly Taint[]): ReturnType<typeof toleration>[] {
  const each = new Map(taints.map((taint) => [JSON.stringify(taint), toleration(taint)]));
  return [...each.values()];
}
