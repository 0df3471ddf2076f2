import { type Capacity, NodePacking, type PackingItem } from "./packing";

export interface AssignablePool {
  readonly name: string;
  readonly node: Capacity;
  readonly minNodes: number;
  readonly maxNodes: number;
  /** Of one node, over the same time in every pool. 0 for owned hardware: fewer nodes win. */
  readonly price: number;
}

export interface AssignmentOption {
  readonly pool: string;
  /** Replicas that always run. */
  readonly item: PackingItem;
  /** Running replicas per phase. @default constant */
  readonly counts?: readonly number[];
  /** Comes once with the replicas, without GPUs. @default none */
  readonly companion?: PackingItem;
  /**
   * First replica of a model at zero: unpaid, but among equal pools the cheapest to wake on wins.
   * @default one always runs
   */
  readonly wakes?: PackingItem;
}

/** A model with one option per pool that can hold it. */
export interface Assignable {
  readonly name: string;
  readonly options: readonly AssignmentOption[];
}

export interface Assignment {
  /** Chosen pool by model; models without room are missing. */
  readonly pools: ReadonlyMap<string, string>;
  /** Nodes of each pool with their permanent replicas, by pool. */
  readonly packings: ReadonlyMap<string, NodePacking>;
  readonly phaseNodes: ReadonlyMap<string, readonly number[]>;
}

/** Search steps after the greedy starts: a few hundredths of a second, exact for a dozen models. */
const SEARCH_STEPS = 20_000;
/** Price of a model that cannot wake: more than any node's. */
const NO_ROOM = 1e9;
/** The search recurses once per model; beyond this it proves nothing and the stack overflows. */
const MOST_MODELS_SEARCHED = 200;

/**
 * Places the most models at the least cost on the fewest nodes. Greedy passes give a start; branch
 * and bound improves it until proven best or out of steps. The result does not depend on the order
 * of models.
 *
 * @param shares fractions of time of the phases, 1 together, in which schedules change replicas. A
 * pool must hold its models in every phase, even one without a share.
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
  // Models with few options first, so that others do not take their only pool.
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
  /** Price of additional nodes while each model at zero is awake, summed. */
  readonly awake: number;
}

/**
 * Negative when `a` is better: more models placed, then cheaper, then fewer nodes, then cheaper
 * with all awake.
 */
function compareOutcomes(a: Outcome, b: Outcome): number {
  return (
    b.pools.size - a.pools.size || compareMoney(a.cost, b.cost) || a.nodes - b.nodes || compareMoney(a.awake, b.awake)
  );
}

/** Immutable: `with` returns a changed copy that shares the rest. */
class PoolStates {
  private constructor(
    private readonly pools: ReadonlyMap<string, AssignablePool>,
    private readonly shares: readonly number[],
    readonly packings: ReadonlyMap<string, NodePacking>,
    /** By pool and phase; with a single phase, `packings`. */
    private readonly phases: ReadonlyMap<string, readonly NodePacking[]>,
    readonly cost: number,
    readonly nodes: number,
    /** Price of claimed resources, as if nodes were divisible: a lower bound of `cost`. */
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

  get phaseNodes(): Assignment["phaseNodes"] {
    return new Map([...this.phases].map(([name, packings]) => [name, packings.map(({ nodes }) => nodes)]));
  }

  /** Undefined when the pool has no room. */
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

  /** Share of nodes that a model claims, priced: by GPUs, or memory without GPUs. */
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

function added(packing: NodePacking, { item, companion }: AssignmentOption, count: number): NodePacking {
  const replicas = packing.with({ ...item, count });
  return companion ? replicas.with(companion) : replicas;
}

interface Step {
  readonly added: number;
  readonly share: number;
}

/** Each model on the pool that ranks lowest; ties go to fewer new nodes. */
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
  /** Lower bound of the remaining models' share, by model index. */
  const restShare = [0];
  for (const { options } of [...models].reverse()) {
    restShare.unshift(Math.min(...options.map((option) => empty.shareOf(option))) + (restShare[0] ?? 0));
  }

  const visit = (index: number, state: PoolStates, placed: number): void => {
    const model = models[index];
    const mayPlace = placed + models.length - index;
    // Cost, nodes and sleeping models only grow along a branch: branches that cannot win are cut.
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
    // Equal models are interchangeable: combinations of pools are tried once, not in every order.
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

/** Differences below a thousandth of a cent are rounding. */
function compareMoney(a: number, b: number): number {
  return Math.abs(a - b) < 1e-5 ? 0 : a - b;
}
