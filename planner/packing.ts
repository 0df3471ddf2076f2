/** Needs of a pod, or capacity of a node. GPUs are whole and exclusive. */
export interface Capacity {
  readonly gpus: number;
  readonly cpu: number;
  readonly memoryGiB: number;
}

export interface PackingItem {
  /** Of one pod; a replica over several nodes has one on each. */
  readonly demand: Capacity;
  readonly count: number;
  /** Exclusive nodes of one replica; a replica of 1 shares its node. */
  readonly nodesPerReplica: number;
  /** Minimum nodes for an even spread. @default anywhere */
  readonly apart?: number;
}

/** Whole numbers in the scheduler's units, which add up exactly. */
interface Room {
  readonly gpus: number;
  readonly milliCpu: number;
  readonly memoryMiB: number;
}

/** Nodes with the same free room. */
interface NodeGroup {
  readonly free: Room;
  readonly count: number;
}

/**
 * Best fit over equal nodes: each pod goes where least room is left. Optimal when GPU counts divide
 * each other, as tensor-parallel sizes usually do (Coffman, Garey, Johnson 1987, "Bin packing with
 * divisible item sizes"). Nodes with the same room are one group, so that thousands of equal pods
 * are one step. Immutable.
 */
export class NodePacking {
  private constructor(
    private readonly node: Room,
    /** Tightest first. */
    private readonly groups: readonly NodeGroup[],
    /** Used nodes; `Infinity` once a pod exceeds a node. */
    readonly nodes: number,
  ) {}

  static empty(node: Capacity): NodePacking {
    return new NodePacking(roomOf(node, Math.floor), [], 0);
  }

  with({ demand: asked, count, nodesPerReplica, apart = 1 }: PackingItem): NodePacking {
    const demand = roomOf(asked, Math.ceil);
    if (podsThatFit(demand, this.node) < 1) {
      return new NodePacking(this.node, this.groups, Number.POSITIVE_INFINITY);
    }
    if (nodesPerReplica > 1) {
      return new NodePacking(this.node, this.groups, this.nodes + nodesPerReplica * count);
    }
    if (apart > 1) {
      return this.inRounds(demand, count, apart);
    }
    const groups = [...this.groups];
    let nodes = this.nodes;
    for (let remaining = count; remaining > 0; ) {
      const started = groups.find((group) => podsThatFit(demand, group.free) >= 1);
      const { free, count: available } = started ?? { free: this.node, count: Number.POSITIVE_INFINITY };
      const podsPerNode = Math.min(remaining, podsThatFit(demand, free));
      const filled = Math.min(available, Math.floor(remaining / podsPerNode));
      if (started) {
        change(groups, free, -filled);
      } else {
        nodes += filled;
      }
      change(groups, subtract(free, demand, podsPerNode), filled);
      remaining -= filled * podsPerNode;
    }
    return new NodePacking(this.node, groups, nodes);
  }

  /** Like schedulers with a maximum skew of one: a pod more on each node per round. */
  private inRounds(demand: Room, count: number, nodes: number): NodePacking {
    const round = Math.min(count, nodes);
    return round === 0 ? this : this.eachApart(demand, round).inRounds(demand, count - round, nodes);
  }

  /** Separate nodes: first those with the least sufficient room, then new ones. */
  private eachApart(demand: Room, count: number): NodePacking {
    const groups = [...this.groups];
    let remaining = count;
    for (const { free, count: available } of this.groups) {
      const taken = podsThatFit(demand, free) >= 1 ? Math.min(remaining, available) : 0;
      if (taken > 0) {
        change(groups, free, -taken);
        change(groups, subtract(free, demand, 1), taken);
        remaining -= taken;
      }
    }
    if (remaining > 0) {
      change(groups, subtract(this.node, demand, 1), remaining);
    }
    return new NodePacking(this.node, groups, this.nodes + remaining);
  }
}

export function holds(node: Capacity, demand: Capacity): boolean {
  return podsThatFit(roomOf(demand, Math.ceil), roomOf(node, Math.floor)) >= 1;
}

/** Infinite for a pod without requests. */
export function mostOnNode(node: Capacity, { gpus, cpu, memoryGiB }: Capacity): number {
  return podsThatFit(roomOf({ gpus, cpu, memoryGiB }, Math.ceil), roomOf(node, Math.floor));
}

/** Digits beyond the sixth decimal are rounding errors. */
function roomOf({ gpus, cpu, memoryGiB }: Capacity, round: (value: number) => number): Room {
  const whole = (value: number) => round(Number(value.toFixed(6)));
  return { gpus, milliCpu: whole(cpu * 1000), memoryMiB: whole(memoryGiB * 1024) };
}

/** 0 without room, `Infinity` for a pod without requests. */
function podsThatFit(demand: Room, free: Room): number {
  return Math.min(
    times(demand.gpus, free.gpus),
    times(demand.milliCpu, free.milliCpu),
    times(demand.memoryMiB, free.memoryMiB),
  );
}

function times(demand: number, free: number): number {
  return demand > 0 ? Math.floor(free / demand) : Number.POSITIVE_INFINITY;
}

function subtract(free: Room, demand: Room, pods: number): Room {
  return {
    gpus: free.gpus - pods * demand.gpus,
    milliCpu: free.milliCpu - pods * demand.milliCpu,
    memoryMiB: free.memoryMiB - pods * demand.memoryMiB,
  };
}

/** Scarcest first: GPUs, memory, CPU. */
function compare(a: Room, b: Room): number {
  return a.gpus - b.gpus || a.memoryMiB - b.memoryMiB || a.milliCpu - b.milliCpu;
}

/** Adds `by` nodes; keeps groups sorted. */
function change(groups: NodeGroup[], free: Room, by: number): void {
  const at = groups.findIndex((group) => compare(group.free, free) >= 0);
  const index = at === -1 ? groups.length : at;
  const found = groups[index];
  const exists = found !== undefined && compare(found.free, free) === 0;
  const count = (exists ? found.count : 0) + by;
  groups.splice(index, exists ? 1 : 0, ...(count > 0 ? [{ free, count }] : []));
}
