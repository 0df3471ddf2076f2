/**
 * A kubelet's admission by memory nodes, in small: what Kubernetes 1.36 does in pkg/kubelet/cm (topologymanager/policy.go,
 * policy_restricted.go, policy_single_numa_node.go, scope_pod.go; cpumanager/policy_static.go generateCPUTopologyHints;
 * devicemanager/topology_hints.go generateDeviceTopologyHints), for pods whose CPUs are whole and of scope "pod". Sets of
 * memory nodes are bit masks.
 */
import type { NumaPolicy } from "../../planner/types";

/** A machine: CPUs that pods may have, and devices by resource, each as its memory node. */
export interface Topology {
  readonly nodes: number;
  /** All CPUs of each memory node, and those of them that the system keeps. */
  readonly cpus: readonly { readonly all: number; readonly reserved: number }[];
  readonly devices: Readonly<Record<string, readonly number[]>>;
}

export interface Asked {
  readonly cpus: number;
  readonly devices: Readonly<Record<string, number>>;
}

interface Hint {
  readonly mask: number;
  readonly preferred: boolean;
}

/** What a pod holds: CPUs by memory node, devices by resource and index. */
export interface Held {
  readonly cpus: readonly number[];
  readonly devices: Readonly<Record<string, readonly number[]>>;
}

export class Kubelet {
  private readonly pods = new Map<number, Held>();
  private next = 0;

  constructor(
    private readonly machine: Topology,
    private readonly policy: NumaPolicy,
    /** Which of several equal devices a plugin prefers: anything in [0, 1). */
    private readonly chance: () => number,
  ) {}

  /** The pod's number, or undefined where it is turned down. Throws where the machine lacks what the pod asks for. */
  admit(asked: Asked): number | undefined {
    const hint = this.merged(this.hints(asked));
    if (!hint.preferred && this.policy !== "best-effort") {
      return undefined;
    }
    const held = this.allocate(asked, hint.mask);
    this.next += 1;
    this.pods.set(this.next, held);
    return this.next;
  }

  leave(pod: number): void {
    this.pods.delete(pod);
  }

  running(): number[] {
    return [...this.pods.keys()];
  }

  /** What the scheduler counts: sums, of no memory node. */
  free(): Asked {
    return {
      cpus: sum(this.freeCpus()),
      devices: Object.fromEntries(
        Object.keys(this.machine.devices).map((name) => [name, this.freeDevices(name).length]),
      ),
    };
  }

  private freeCpus(): number[] {
    return this.machine.cpus.map(
      ({ all, reserved }, node) => all - reserved - sum([...this.pods.values()].map(({ cpus }) => cpus[node] ?? 0)),
    );
  }

  /** Indices of devices that nobody holds. */
  private freeDevices(name: string): number[] {
    const taken = new Set([...this.pods.values()].flatMap(({ devices }) => devices[name] ?? []));
    return (this.machine.devices[name] ?? []).flatMap((_, index) => (taken.has(index) ? [] : [index]));
  }

  /** Each resource's sets that are large enough and free enough; the smallest of those large enough are preferred. */
  private hints({ cpus, devices }: Asked): Hint[][] {
    const total = this.machine.cpus.map(({ all }) => all);
    const ofCpus = cpus > 0 ? [hintsOf(range(this.machine.nodes), cpus, total, this.freeCpus())] : [];
    const ofDevices = Object.entries(devices).map(([name, wanted]) => {
      const where = this.machine.devices[name] ?? [];
      const count = (indices: readonly number[]) =>
        range(this.machine.nodes).map((node) => indices.filter((index) => where[index] === node).length);
      // Only memory nodes that have such devices are looked at.
      return hintsOf([...new Set(where)].sort(), wanted, count(range(where.length)), count(this.freeDevices(name)));
    });
    return [...ofCpus, ...ofDevices];
  }

  private merged(hints: readonly Hint[][]): Hint {
    const all = 2 ** this.machine.nodes - 1;
    const looked =
      this.policy === "single-numa-node"
        ? hints.map((each) => each.filter(({ mask, preferred }) => bits(mask) === 1 && preferred))
        : hints;
    let best: Hint | undefined;
    for (const permutation of permutations(looked)) {
      const mask = permutation.reduce((merged, hint) => merged & hint.mask, all);
      const preferred = permutation.every((hint) => hint.preferred && hint.mask === permutation[0]?.mask);
      if (mask !== 0 && (!best || isBetter({ mask, preferred }, best))) {
        best = { mask, preferred };
      }
    }
    return best ?? { mask: all, preferred: false };
  }

  private allocate({ cpus, devices }: Asked, mask: number): Held {
    const free = this.freeCpus();
    const taken = free.map(() => 0);
    let missing = cpus;
    for (const node of byAffinity(range(this.machine.nodes), mask, (each) => each)) {
      const take = Math.min(missing, free[node] ?? 0);
      taken[node] = take;
      missing -= take;
    }
    const held = Object.entries(devices).map(([name, wanted]) => {
      const where = this.machine.devices[name] ?? [];
      const shuffled = this.freeDevices(name)
        .map((index) => ({ index, order: this.chance() }))
        .sort((a, b) => a.order - b.order)
        .map(({ index }) => index);
      const chosen = byAffinity(shuffled, mask, (index) => where[index] ?? 0).slice(0, wanted);
      if (chosen.length < wanted) {
        throw new Error(`${name}: ${wanted} asked for, ${chosen.length} free`);
      }
      return [name, chosen] as const;
    });
    if (missing > 0) {
      throw new Error(`${cpus} CPUs asked for, ${missing} too many`);
    }
    return { cpus: taken, devices: Object.fromEntries(held) };
  }
}

function hintsOf(nodes: readonly number[], wanted: number, all: readonly number[], free: readonly number[]): Hint[] {
  const masks = range(2 ** nodes.length - 1).map((each) =>
    nodes.reduce((mask, node, i) => ((each + 1) & (1 << i) ? mask | (1 << node) : mask), 0),
  );
  const within = (counts: readonly number[], mask: number) => sum(counts.filter((_, node) => mask & (1 << node)));
  const fewest = Math.min(nodes.length, ...masks.filter((mask) => within(all, mask) >= wanted).map(bits));
  return masks
    .filter((mask) => within(free, mask) >= wanted)
    .map((mask) => ({ mask, preferred: bits(mask) === fewest }));
}

/** Preferred ones first, then the narrowest, then that of the lowest memory nodes. */
function isBetter(a: Hint, b: Hint): boolean {
  if (a.preferred !== b.preferred) {
    return a.preferred;
  }
  return bits(a.mask) === bits(b.mask) ? a.mask < b.mask : bits(a.mask) < bits(b.mask);
}

function* permutations(hints: readonly Hint[][], chosen: readonly Hint[] = []): Generator<readonly Hint[]> {
  const [first, ...rest] = hints;
  if (!first) {
    yield chosen;
    return;
  }
  for (const hint of first) {
    yield* permutations(rest, [...chosen, hint]);
  }
}

function byAffinity(items: readonly number[], mask: number, nodeOf: (item: number) => number): number[] {
  const isIn = (item: number) => (mask & (1 << nodeOf(item))) !== 0;
  return [...items.filter(isIn), ...items.filter((item) => !isIn(item))];
}

function bits(mask: number): number {
  return mask === 0 ? 0 : (mask & 1) + bits(mask >> 1);
}

function range(length: number): number[] {
  return Array.from({ length }, (_, i) => i);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
