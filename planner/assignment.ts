import { type Capacity, NodePacking, type PackingItem } from "./packing";

/** A pool as the search sees it. */
export interface AssignablePool {
  readonly name: string;
  readonly node: Capacity;
  /** Nodes that run and are paid in any case. */
  readonly minNodes: number;
  readonly maxNodes: number;
  /** Price of one node, for the same time in every pool. 0 for owned hardware: then fewer nodes win. */
  readonly price: number;
}

/** One way to run all replicas of a model. */
export interface AssignmentOption {
  readonly pool: string;
  /** Replicas that always run. */
  readonly item: PackingItem;
  /** How many of them run in each phase. @default always as many */
  readonly counts?: readonly number[];
  /** What comes with them, once. It claims no GPUs. @default nothing */
  readonly companion?: PackingItem;
  /** The first replica of a model that sleeps: it is not paid, but of equal pools the one that it can wake on, for less, is better. @default one always runs */
  readonly wakes?: PackingItem;
}

/** A model with one way to run it on each pool that can hold it. */
export interface Assignable {
  readonly name: string;
  readonly options: readonly AssignmentOption[];
}

export interface Assignment {
  /** Chosen pool per model name; models that found no room are missing. */
  readonly pools: ReadonlyMap<string, string>;
  /** The nodes of each pool with what always runs of the models that were placed there, by pool name. */
  readonly packings: ReadonlyMap<string, NodePacking>;
  /** Nodes that each pool's models take in each phase, by pool name. */
  readonly phaseNodes: ReadonlyMap<string, readonly number[]>;
}

/** Search steps beyond the greedy starts: a few hundredths of a second, and exact for a dozen models. */
const SEARCH_STEPS = 20_000;
/** Price of a model that cannot wake: more than any node's. */
const NO_ROOM = 1e9;
/** The search recurses once per model: with more than this, its steps could prove nothing and the stack would end. */
const MOST_MODELS_SEARCHED = 200;

/**
 * The assignment of models to pools that places the most models, at the least cost, on the fewest nodes.
 * Greedy passes give a start; branch and bound improves it until it is proven best or its steps are spent.
 * Models are taken in an order of their own, so the order in which they are declared changes nothing.
 *
 * @param shares parts of the time that the phases take, in which schedules hold more or fewer replicas: 1 together. A pool holds its
 *   models in each of them, and one without a share too.
 */
export function cheapestAssignment(
  models: readonly Assignable[],
  pools: readonly AssignablePool[],
  shares: readonly number[] = [1],
): Assignment {
  const signatures = new Map(models.map((model) => [model, JSON.stringify(model.options)]));
  const signature = (model: Assignable) => signatures.get(model) ?? "";
  const placeable = models.filter(({ options }) => options.length > 0);
  const largestFirst = placeable.sort(
    (a, b) => compareSizes(a, b) || compareText(signature(a), signature(b)) || compareText(a.name, b.name),
  );
  // Models with little choice go first, lest the others take their only pool.
  const leastChoiceFirst = [...largestFirst].sort((a, b) => a.options.length - b.options.length);
  const empty = PoolStates.empty(pools, shares);
  const start = [largestFirst, leastChoiceFirst]
    .flatMap((order) => [greedy(order, empty, (step) => step.added), greedy(order, empty, (step) => step.share)])
    .reduce((best, outcome) => (compareOutcomes(outcome, best) < 0 ? outcome : best));
  return placeable.length > MOST_MODELS_SEARCHED ? start : branchAndBound(largestFirst, empty, start, signature);
}

interface Outcome extends Assignment {
  readonly cost: number;
  readonly nodes: number;
  /** Price of the nodes that come while one of the models that sleep is awake, summed over them. */
  readonly awake: number;
}

/** Negative when `a` is better: more models placed, then cheaper, then fewer nodes, then cheaper with all of them awake. */
function compareOutcomes(a: Outcome, b: Outcome): number {
  return (
    b.pools.size - a.pools.size || compareMoney(a.cost, b.cost) || a.nodes - b.nodes || compareMoney(a.awake, b.awake)
  );
}

/** The pools with some models on them. Immutable: `with` returns a changed copy that shares the rest. */
class PoolStates {
  private constructor(
    private readonly pools: ReadonlyMap<string, AssignablePool>,
    private readonly shares: readonly number[],
    readonly packings: ReadonlyMap<string, NodePacking>,
    /** By pool, of each phase; of a single one it is `packings` again. */
    private readonly phases: ReadonlyMap<string, readonly NodePacking[]>,
    readonly cost: number,
    readonly nodes: number,
    /** Price of the resources that are claimed, as if nodes could be bought in parts: never above `cost`. */
    readonly share: number,
    readonly awake: number,
  ) {}

  static empty(pools: readonly AssignablePool[], shares: readonly number[]): PoolStates {
    const packings = new Map(pools.map((pool) => [pool.name, NodePacking.empty(pool.node)]));
    return new PoolStates(
      new Map(pools.map((pool) => [pool.name, pool])),
      shares,
      packings,
      new Map([...packings].map(([name, packing]) => [name, shares.map(() => packing)])),
      pools.reduce((sum, pool) => sum + pool.minNodes * pool.price, 0),
      0,
      0,
      0,
    );
  }

  /** Nodes that each pool's models take in each phase. */
  get phaseNodes(): Assignment["phaseNodes"] {
    return new Map([...this.phases].map(([name, packings]) => [name, packings.map(({ nodes }) => nodes)]));
  }

  /** The state with one more model, or undefined when the pool has no room for it. */
  with(option: AssignmentOption): PoolStates | undefined {
    const pool = this.pools.get(option.pool);
    const before = this.packings.get(option.pool);
    const phasesBefore = this.phases.get(option.pool);
    if (!pool || !before || !phasesBefore) {
      return undefined;
    }
    const always = option.item.count;
    const after = added(before, option, always);
    const phases = phasesBefore.map((packing, i) => {
      const count = option.counts?.[i] ?? always;
      return packing === before && count === always ? after : added(packing, option, count);
    });
    if ([after, ...phases].some(({ nodes }) => nodes > pool.maxNodes)) {
      return undefined;
    }
    const awake = option.wakes ? after.with(option.wakes) : after;
    const billed = (nodes: number) => Math.max(nodes, pool.minNodes);
    const billedIn = (packings: readonly NodePacking[]) =>
      packings.reduce((sum, { nodes }, i) => sum + billed(nodes) * (this.shares[i] ?? 0), 0);
    return new PoolStates(
      this.pools,
      this.shares,
      new Map(this.packings).set(pool.name, after),
      new Map(this.phases).set(pool.name, phases),
      this.cost + (billedIn(phases) - billedIn(phasesBefore)) * pool.price,
      this.nodes + after.nodes - before.nodes,
      this.share + this.shareOf(option),
      this.awake + (awake.nodes > pool.maxNodes ? NO_ROOM : (billed(awake.nodes) - billed(after.nodes)) * pool.price),
    );
  }

  /** What a model claims of its nodes, at their price: their GPUs, or their memory where they have none. */
  shareOf({ pool: name, item: { demand, count, nodesPerReplica }, counts }: AssignmentOption): number {
    const pool = this.pools.get(name);
    if (!pool) {
      return 0;
    }
    const { node, price } = pool;
    const fraction = node.gpus > 0 ? demand.gpus / node.gpus : demand.memoryGiB / node.memoryGiB;
    const onAverage = this.shares.reduce((sum, share, i) => sum + share * (counts?.[i] ?? count), 0);
    return fraction * nodesPerReplica * onAverage * price;
  }
}

/** A packing with so many replicas of an option more, and what comes with them. */
function added(packing: NodePacking, { item, companion }: AssignmentOption, count: number): NodePacking {
  const replicas = packing.with({ ...item, count });
  return companion ? replicas.with(companion) : replicas;
}

/** What a model adds to a state. */
interface Step {
  readonly added: number;
  readonly share: number;
}

/** Each model in turn on the pool that ranks lowest; fewer new nodes where the rank is equal. */
function greedy(models: readonly Assignable[], empty: PoolStates, rank: (step: Step) => number): Outcome {
  let state = empty;
  const chosen = new Map<string, string>();
  for (const { name, options } of models) {
    let best: { state: PoolStates; step: Step; pool: string } | undefined;
    for (const option of options) {
      const next = state.with(option);
      if (next) {
        const step = { added: next.cost - state.cost, share: next.share - state.share };
        const order = best
          ? compareMoney(rank(step), rank(best.step)) ||
            next.nodes - best.state.nodes ||
            compareMoney(step.share, best.step.share) ||
            compareMoney(next.awake, best.state.awake)
          : -1;
        best = order < 0 ? { state: next, step, pool: option.pool } : best;
      }
    }
    if (best) {
      state = best.state;
      chosen.set(name, best.pool);
    }
  }
  return outcome(chosen, state);
}

function outcome(pools: ReadonlyMap<string, string>, state: PoolStates): Outcome {
  const { packings, phaseNodes, cost, nodes, awake } = state;
  return { pools, packings, phaseNodes, cost, nodes, awake };
}

function branchAndBound(
  models: readonly Assignable[],
  empty: PoolStates,
  start: Outcome,
  signature: (model: Assignable) => string,
): Outcome {
  let best = start;
  let steps = SEARCH_STEPS;
  const chosen: (string | undefined)[] = [];
  /** Least share that the models from this one on will claim. */
  const restShare = [0];
  for (const { options } of [...models].reverse()) {
    restShare.unshift(Math.min(...options.map((option) => empty.shareOf(option))) + (restShare[0] ?? 0));
  }

  const visit = (index: number, state: PoolStates, placed: number): void => {
    const model = models[index];
    const mayPlace = placed + models.length - index;
    // Cost, nodes and what sleeps only grow along a branch: one that cannot become better than the best is cut.
    const cost = Math.max(state.cost, state.share + (restShare[index] ?? 0));
    const order =
      best.pools.size - mayPlace ||
      compareMoney(cost, best.cost) ||
      state.nodes - best.nodes ||
      compareMoney(state.awake, best.awake);
    if (order >= 0) {
      return;
    }
    if (!model) {
      const pairs = models.flatMap(({ name }, i) => (chosen[i] === undefined ? [] : [[name, chosen[i]] as const]));
      best = outcome(new Map(pairs), state);
      return;
    }
    // Equal models are interchangeable: try each combination of their pools once, not in every order.
    const previous = models[index - 1];
    const twin = previous && signature(previous) === signature(model) ? chosen[index - 1] : undefined;
    const from = model.options.findIndex((option) => option.pool === twin);
    for (const option of model.options.slice(Math.max(0, from))) {
      steps--;
      if (steps < 0) {
        return;
      }
      const next = state.with(option);
      if (next) {
        chosen[index] = option.pool;
        visit(index + 1, next, placed + 1);
      }
    }
    chosen[index] = undefined;
    visit(index + 1, state, placed);
  };

  visit(0, empty, 0);
  return best;
}

/** Largest replica first, then most replicas: pods pack best that way. */
function compareSizes(a: Assignable, b: Assignable): number {
  const largest = (model: Assignable, size: (item: PackingItem) => number) =>
    Math.max(0, ...model.options.map(({ item }) => size(item)));
  const difference = (size: (item: PackingItem) => number) => largest(b, size) - largest(a, size);
  return (
    difference((item) => item.demand.gpus * item.nodesPerReplica) ||
    difference((item) => item.demand.memoryGiB) ||
    difference((item) => item.count)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Differences below a thousandth of a cent are rounding, not money. */
function compareMoney(a: number, b: number): number {
  return Math.abs(a - b) < 1e-5 ? 0 : a - b;
}
