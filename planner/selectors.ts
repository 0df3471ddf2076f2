import type { PoolRequest } from "./request";
import type { CapacityProblem } from "./types";

/**
 * Pools that the scheduler cannot tell apart: a pod goes to any node that has the labels of its pool, whatever pool the
 * plan counted that node in. Only then are GPUs, cost and `dedicatedTo` of each pool what the plan says.
 */
export function overlappingPools(pools: readonly PoolRequest[]): CapacityProblem[] {
  const forModels = pools.filter(({ role }) => role !== "system");
  return forModels.flatMap((pool, index) =>
    forModels
      .slice(0, index)
      .filter((other) => compete(pool, other) && !areDisjoint(pool.labels, other.labels))
      .map((other) => problem(other, pool)),
  );
}

/** GPU pods find no GPU of the other vendor, and CPU pods tolerate no GPU node. */
function compete(a: PoolRequest, b: PoolRequest): boolean {
  return a.shape.gpu?.resource === b.shape.gpu?.resource;
}

/** No node can have the labels of both. */
function areDisjoint(a: PoolRequest["labels"], b: PoolRequest["labels"]): boolean {
  return Object.entries(a).some(([key, value]) => b[key] !== undefined && b[key] !== value);
}

function problem(first: PoolRequest, second: PoolRequest): CapacityProblem {
  const label = (pool: PoolRequest) => `pools.${pool.name}.labels: {example.com/pool: ${pool.name}}`;
  return {
    severity: "mandatory",
    rule: "pools-overlap",
    subject: `pools.${second.name}`,
    message: `the scheduler cannot tell the pools "${first.name}" and "${second.name}" apart: a node can have the labels of both (${said(first)}; ${said(second)}), so that pods of one land on the other, and neither dedicatedTo nor the GPUs that the plan counts per pool hold. Give each a label of its own, with the same key, for example ${label(first)} and ${label(second)}, and label their nodes so; or make one pool of them.`,
  };
}

function said({ name, labels }: PoolRequest): string {
  const text = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return `${name}: ${text.length > 0 ? text.join(", ") : "no label"}`;
}
