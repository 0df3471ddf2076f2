import { z } from "zod";
import type { ClusterKind, PoolPlan, Taint } from "../../planner/types";
import { CLUSTER_OUTPUT, CLUSTER_OUTPUT_VERSION, type ClusterOutputs, clusterOutputs } from "./cluster-outputs";

export interface ExpectedCluster {
  readonly kind: ClusterKind;
  readonly pools: readonly Pick<PoolPlan, "name" | "shape" | "maxNodes" | "selector" | "labels" | "taints">[];
}

/**
 * The cluster output of another stack does not meet the requirements. The message lists every
 * reason and fix.
 */
export class ClusterMismatchError extends Error {
  /** @param said source of the output: `stack "acme/inference-stacks/oci-a10-cluster"`. */
  constructor(
    said: string,
    readonly reasons: readonly string[],
  ) {
    super(`the platform cannot go on the cluster of ${said}:\n${reasons.map((reason) => `  ${reason}`).join("\n")}`);
    this.name = "ClusterMismatchError";
  }
}

/**
 * Validates the `cluster` output of a stack.
 *
 * @param value undefined if the stack has no such output.
 * @throws ClusterMismatchError with all problems at once.
 */
export function readClusterOutputs(value: unknown, said: string, expected: ExpectedCluster): ClusterOutputs {
  if (value === undefined || value === null) {
    throw new ClusterMismatchError(said, [
      `it has no output "${CLUSTER_OUTPUT}": it was never deployed, made no cluster, or was deployed by a release from before there was one. Deploy it with cluster.provision: create and scope: cluster (pulumi up), or name another stack in cluster.stackReference.`,
    ]);
  }
  const version = z.object({ version: z.unknown() }).safeParse(value).data?.version;
  if (version !== CLUSTER_OUTPUT_VERSION) {
    throw new ClusterMismatchError(said, [
      `its output "${CLUSTER_OUTPUT}" has version ${JSON.stringify(version) ?? "nothing"}; this release reads ${CLUSTER_OUTPUT_VERSION}. Deploy both stacks with the same release.`,
    ]);
  }
  const { success, data, error } = clusterOutputs.safeParse(value);
  if (!success) {
    throw new ClusterMismatchError(
      said,
      error.issues.map(
        ({ path, message }) =>
          `${[CLUSTER_OUTPUT, ...path].join(".")}: ${message}. Deploy that stack again, or fix the program that writes this output (docs/clusters.md).`,
      ),
    );
  }
  const reasons = [...kindReasons(data, expected), ...expected.pools.flatMap((pool) => poolReasons(data, pool))];
  if (reasons.length > 0) {
    throw new ClusterMismatchError(said, reasons);
  }
  return data;
}

function kindReasons({ kind }: ClusterOutputs, expected: ExpectedCluster): string[] {
  return kind === expected.kind
    ? []
    : [
        `cluster.kind is ${expected.kind} here, and that stack made a cluster of kind ${kind}. Write kind: ${kind}, or name another stack in cluster.stackReference.`,
      ];
}

/** Reasons why pods of a planned pool would stay pending. */
function poolReasons({ pools }: ClusterOutputs, pool: ExpectedCluster["pools"][number]): string[] {
  const path = `pools.${pool.name}`;
  const found = Object.hasOwn(pools, pool.name) ? pools[pool.name] : undefined;
  if (found === undefined) {
    const names = Object.keys(pools).join(", ") || "none";
    return [
      `${path}: the plan has this pool, and that cluster has not; its pools: ${names}. Add it to that stack's environment and deploy that first, or remove it here.`,
    ];
  }
  const asThere = "Make the two environments say the same of this pool, and deploy that stack first.";
  // Labels that the cloud sets itself follow from the shape.
  const asked = Object.entries(pool.selector).filter(([key]) => Object.hasOwn(pool.labels, key));
  return [
    ...(found.shape === pool.shape.name
      ? []
      : [`${path}: the plan counts on ${pool.shape.name}, and that cluster's pool has ${found.shape}. ${asThere}`]),
    ...(found.maxNodes >= pool.maxNodes
      ? []
      : [
          `${path}: the plan counts on maxNodes ${pool.maxNodes}, and that cluster's pool has ${found.maxNodes}. ${asThere}`,
        ]),
    ...asked
      .filter(([key, value]) => found.labels[key] !== value)
      .map(
        ([key, value]) =>
          `${path}: pods look for nodes labelled ${key}=${value}, and that cluster's pool has ${labelText(key, found.labels[key])}. ${asThere}`,
      ),
    ...found.taints
      .filter((taint) => taint.effect !== "PreferNoSchedule" && !pool.taints.some((own) => isSame(own, taint)))
      .map(
        (taint) =>
          `${path}: nodes of that cluster's pool have the taint ${taintText(taint)}, which pods of the plan do not tolerate. ${asThere}`,
      ),
  ];
}

function labelText(key: string, value: string | undefined): string {
  return value === undefined ? "no such label" : `${key}=${value}`;
}

function taintText({ key, value, effect }: Taint): string {
  return `${key}${value === undefined ? "" : `=${value}`}:${effect}`;
}

function isSame(one: Taint, other: Taint): boolean {
  return taintText(one) === taintText(other);
}
