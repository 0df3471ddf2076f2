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

  with({ demand: asked, count, nodesPerReplica }: PackingItem): NodePacking {
    const demand = roomOf(asked, Math.ceil);
    if (podsThatFit(demand, this.node) < 1) {
      return new NodePacking(this.node, this.groups, Number.POSITIVE_INFINITY);
    }
    if (nodesPerReplica > 1) {
      return new NodePacking(this.node, this.groups, this.nodes + nodesPerReplica * count);
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
}

/** Whether an empty node holds the pod. */
export function holds(node: Capacity, demand: Capacity): boolean {
  return podsThatFit(roomOf(demand, Math.ceil), roomOf(node, Math.floor)) >= 1;
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
