import { POOL_LABEL } from "./pool-labels";
import type { PoolRequest } from "./request";
import { allTolerated, poolTaints } from "./taints";
import type { CapacityProblem } from "./types";

/** More would be a list, not an answer. */
const MOST_POOLS = 4;
const MOST_LABELS = 4;

/**
 * Pools that the scheduler cannot separate: a pod goes to any node with its pool's labels,
 * tolerated taints and requested GPUs. Only with disjoint pools are GPUs, cost and `dedicatedTo` as
 * planned. Judged by pools, not models: a further model must not turn a working cluster into a
 * refused one.
 *
 * @returns at most one problem per pool, naming earlier ones.
 */
export function overlappingPools(pools: readonly PoolRequest[]): CapacityProblem[] {
  return pools.flatMap((pool, index) => {
    const mixed = pools.slice(0, index).filter((other) => podsReach(pool, other) || podsReach(other, pool));
    return mixed.length > 0 ? [problem(pool, mixed, pools)] : [];
  });
}

/** Whether a node of one pool may satisfy another's pods. */
function podsReach(from: PoolRequest, to: PoolRequest): boolean {
  return (
    // No pod selects system nodes: platform pods run wherever taints allow.
    from.role !== "system" &&
    (from.shape.gpu === undefined || from.shape.gpu.resource === to.shape.gpu?.resource) &&
    allTolerated(poolTaints(to), poolTaints(from)) &&
    // A system node has exactly its stated labels. A node for models may have those of both pools.
    (to.role === "system" ? isWithin(from.selector, to.selector) : !areDisjoint(from.selector, to.selector))
  );
}

type Labels = PoolRequest["labels"];

function isWithin(some: Labels, all: Labels): boolean {
  return Object.entries(some).every(([key, value]) => all[key] === value);
}

/** No node can have both. */
function areDisjoint(a: Labels, b: Labels): boolean {
  return Object.entries(a).some(([key, value]) => Object.hasOwn(b, key) && b[key] !== value);
}

function problem(pool: PoolRequest, mixed: readonly PoolRequest[], all: readonly PoolRequest[]): CapacityProblem {
  const named = mixed.slice(0, MOST_POOLS);
  const more = mixed.length - named.length;
  const others = [...named.map(({ name }) => `"${name}"`), ...(more > 0 ? [`${more} more`] : [])];
  const taints = pool.shape.gpu
    ? "no taint parts them, as GPU pods tolerate those of all"
    : "their nodes have no taint";
  const lines = withNamesakes([...named, pool], all)
    .filter(lacksItsLabel)
    .map((each) => `- ${labelLine(each)}`);
  return {
    severity: "mandatory",
    rule: "pools-overlap",
    subject: `pools.${pool.name}`,
    message: [
      `the scheduler cannot keep the pool "${pool.name}" apart from ${others.join(", ")}: ${[...named, pool].map(said).join("; ")}. A node can be all of that, and ${taints}: pods of one pool run on another, and neither dedicatedTo nor the GPUs and costs that are planned for each pool hold. Give each pool a selector label, and put it on its nodes:`,
      ...lines,
      `or make one pool of them.`,
    ].join("\n"),
  };
}

function said({ name, role, selector, dedicatedTo }: PoolRequest): string {
  const labels = list(Object.entries(selector).map(([key, value]) => `${key}=${value}`)) || "any labels";
  if (role === "system") {
    return `nodes of "${name}", where the platform runs, have ${labels}`;
  }
  const [model, ...models] = dedicatedTo;
  const dedicated = model && ` (dedicated to ${model}${models.length > 0 ? ` and ${models.length} more` : ""})`;
  return `"${name}"${dedicated ?? ""} takes nodes with ${labels}`;
}

/** Nothing selects system nodes: they need a label only if they have another pool's. */
function lacksItsLabel({ name, role, selector }: PoolRequest): boolean {
  return selector[POOL_LABEL] !== name && !(role === "system" && selector[POOL_LABEL] === undefined);
}

/** Pools, and those labelled with their name: once labelled, they would no longer differ. */
function withNamesakes(pools: readonly PoolRequest[], all: readonly PoolRequest[]): readonly PoolRequest[] {
  const names = pools.map(({ name }) => name);
  const namesakes = all.filter((pool) => !pools.includes(pool) && names.includes(pool.selector[POOL_LABEL] ?? ""));
  return namesakes.length > 0 ? withNamesakes([...pools, ...namesakes], all) : pools;
}

function labelLine({ name, labels }: PoolRequest): string {
  const { [POOL_LABEL]: _, ...own } = labels;
  const entries = Object.entries(own).map(([key, value]) => `${scalar(key)}: ${scalar(value)}`);
  return `pools.${name}.labels: {${list([`${POOL_LABEL}: ${scalar(name)}`, ...entries])}}`;
}

/** Quoted where YAML would read a number, boolean or null. */
function scalar(text: string): string {
  const isPlain = /^[a-z][\w./-]*$/i.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}

function list(items: readonly string[]): string {
  return items.length > MOST_LABELS ? `${items.slice(0, MOST_LABELS).join(", ")}, …` : items.join(", ");
}
