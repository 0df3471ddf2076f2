/** What one pod needs, or one node offers. GPUs are whole and exclusive. */
export interface Capacity {
  readonly gpus: number;
  readonly cpu: number;
  readonly memoryGiB: number;
}

/** `count` equal replicas to place. */
export interface PackingItem {
  /** Of one pod; a replica over several nodes has one pod on each. */
  readonly demand: Capacity;
  readonly count: number;
  /** Nodes that one replica takes for itself; a replica of 1 shares its node with others. */
  readonly nodesPerReplica: number;
  /** They are on so many nodes, evenly: more than 1 takes as many nodes at least. @default wherever there is room */
  readonly apart?: number;
}

/** A capacity in the units of the Kubernetes scheduler: whole numbers add up without drift. */
interface Room {
  readonly gpus: number;
  readonly milliCpu: number;
  readonly memoryMiB: number;
}

/** Nodes that have the same room left. */
interface NodeGroup {
  readonly free: Room;
  readonly count: number;
}

/**
 * Equal nodes, filled pod by pod, each into the node with the least room that still holds it (best fit).
 * Optimal when GPU counts divide each other, as tensor-parallel sizes usually do (Coffman, Garey, Johnson
 * 1987, "Bin packing with divisible item sizes"). Nodes with the same room are kept as one group, so that
 * thousands of equal pods are one step. Immutable.
 */
export class NodePacking {
  private constructor(
    private readonly node: Room,
    /** Tightest first. */
    private readonly groups: readonly NodeGroup[],
    /** Nodes taken so far; `Infinity` once a pod was larger than a node. */
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

  /** As schedulers do that keep the difference between nodes at one: a pod more on each, and again. */
  private inRounds(demand: Room, count: number, nodes: number): NodePacking {
    const round = Math.min(count, nodes);
    return round === 0 ? this : this.eachApart(demand, round).inRounds(demand, count - round, nodes);
  }

  /** Each on another node: first those with the least room that holds it, then new ones. */
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

/** Whether an empty node holds the pod. */
export function holds(node: Capacity, demand: Capacity): boolean {
  return podsThatFit(roomOf(demand, Math.ceil), roomOf(node, Math.floor)) >= 1;
}

/** Pods of a kind that an empty node holds; infinite for one that asks for nothing. */
export function mostOnNode(node: Capacity, { gpus, cpu, memoryGiB }: Capacity): number {
  return podsThatFit(roomOf({ gpus, cpu, memoryGiB }, Math.ceil), roomOf(node, Math.floor));
}

/** What a division leaves behind the sixth decimal is noise, not a resource. */
function roomOf({ gpus, cpu, memoryGiB }: Capacity, round: (value: number) => number): Room {
  const whole = (value: number) => round(Number(value.toFixed(6)));
  return { gpus, milliCpu: whole(cpu * 1000), memoryMiB: whole(memoryGiB * 1024) };
}

/** 0 when there is no room, `Infinity` for a pod that asks for nothing. */
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

/** Order by what is scarcest: GPUs, then memory, then CPU. */
function compare(a: Room, b: Room): number {
  return a.gpus - b.gpus || a.memoryMiB - b.memoryMiB || a.milliCpu - b.milliCpu;
}

/** Adds `by` nodes to the group with exactly that room, and keeps the groups in order. */
function change(groups: NodeGroup[], free: Room, by: number): void {
  const at = groups.findIndex((group) => compare(group.free, free) >= 0);
  const index = at === -1 ? groups.length : at;
  const found = groups[index];
  const exists = found !== undefined && compare(found.free, free) === 0;
  const count = (exists ? found.count : 0) + by;
  groups.splice(index, exists ? 1 : 0, ...(count > 0 ? [{ free, count }] : []));
}
