import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Capacity, holds, NodePacking, type PackingItem } from "../../planner/packing";
import { atNight } from "../harness/property-runs";

const packed = (node: Capacity, items: readonly PackingItem[]) =>
  items.reduce((packing, item) => packing.with(item), NodePacking.empty(node)).nodes;

const gpuPod = (gpus: number, count = 1): PackingItem => ({
  demand: { gpus, cpu: gpus, memoryGiB: gpus },
  count,
  nodesPerReplica: 1,
});
const gpuNode = (gpus: number): Capacity => ({ gpus, cpu: gpus, memoryGiB: gpus });

/** Node of the eighths, quarters … that pods take: sizes that divide each other. */
const powerOfTwoPods = fc.array(
  fc.record({ gpus: fc.constantFrom(1, 2, 4, 8), count: fc.nat(5) }).map(({ gpus, count }) => gpuPod(gpus, count)),
  { maxLength: 12 },
);
const anyNode = fc.record({
  gpus: fc.nat(8),
  cpu: fc.double({ min: 0, max: 64, noNaN: true }),
  memoryGiB: fc.double({ min: 0, max: 256, noNaN: true }),
});
const anyItem: fc.Arbitrary<PackingItem> = fc.record({
  demand: fc.record({
    gpus: fc.nat(4),
    cpu: fc.double({ min: 0, max: 16, noNaN: true }),
    memoryGiB: fc.double({ min: 0, max: 64, noNaN: true }),
  }),
  count: fc.nat(6),
  nodesPerReplica: fc.constantFrom(1, 1, 1, 2, 3),
});
const anyItems = fc.array(anyItem, { maxLength: 8 });

/** Best fit written the long way: one node per entry, one pod per step, capacity checked against the real figures. */
function replay(node: Capacity, items: readonly PackingItem[]): number {
  const nodes: Capacity[][] = [];
  let exclusive = 0;
  const room = (pods: readonly Capacity[]) => ({
    gpus: node.gpus - total(pods, (p) => p.gpus),
    milli: Math.floor(round6(node.cpu * 1000)) - total(pods, (p) => Math.ceil(round6(p.cpu * 1000))),
    mebi: Math.floor(round6(node.memoryGiB * 1024)) - total(pods, (p) => Math.ceil(round6(p.memoryGiB * 1024))),
  });
  const isHeld = (pods: readonly Capacity[]) => Object.values(room(pods)).every((left) => left >= 0);
  for (const { demand, count, nodesPerReplica } of items) {
    if (!isHeld([demand])) {
      return Number.POSITIVE_INFINITY;
    }
    for (let pod = 0; pod < count; pod++) {
      if (nodesPerReplica > 1) {
        exclusive += nodesPerReplica;
        continue;
      }
      const fitting = nodes
        .filter((pods) => isHeld([...pods, demand]))
        .map((pods) => ({ pods, left: room(pods) }))
        .sort((a, b) => a.left.gpus - b.left.gpus || a.left.mebi - b.left.mebi || a.left.milli - b.left.milli);
      const target = fitting[0]?.pods ?? [];
      if (target.length === 0) {
        nodes.push(target);
      }
      target.push(demand);
    }
  }
  for (const pods of nodes) {
    expect(total(pods, (p) => p.gpus)).toBeLessThanOrEqual(node.gpus);
    expect(total(pods, (p) => p.cpu)).toBeLessThanOrEqual(node.cpu + 1e-6);
    expect(total(pods, (p) => p.memoryGiB)).toBeLessThanOrEqual(node.memoryGiB + 1e-6);
  }
  return nodes.length + exclusive;
}

const total = (pods: readonly Capacity[], of: (pod: Capacity) => number) => pods.reduce((sum, pod) => sum + of(pod), 0);
const round6 = (value: number) => Number(value.toFixed(6));

/** Fewest nodes of `size` GPUs, by trying each pod on each started node and on a new one. */
function fewestNodes(size: number, pods: readonly number[]): number {
  let best = pods.length;
  const visit = (index: number, free: readonly number[]): void => {
    if (free.length >= best) {
      return;
    }
    const pod = pods[index];
    if (pod === undefined) {
      best = free.length;
      return;
    }
    for (const [node, left] of free.entries()) {
      if (left >= pod) {
        visit(
          index + 1,
          free.map((value, i) => (i === node ? value - pod : value)),
        );
      }
    }
    visit(index + 1, [...free, size - pod]);
  };
  visit(0, []);
  return best;
}

describe("NodePacking", () => {
  it("takes the nodes of a best fit that is replayed pod by pod, and never claims more than a node has", () => {
    fc.assert(
      fc.property(anyNode, anyItems, (node, items) => {
        expect(packed(node, items)).toBe(replay(node, items));
      }),
      { numRuns: atNight(1000) },
    );
  });

  it("needs as few nodes as possible when GPU counts are powers of two, in any order of the pods", () => {
    const few = fc.array(fc.constantFrom(1, 2, 4), { maxLength: 8 });
    fc.assert(
      fc.property(few, fc.constantFrom(4, 8), (pods, size) => {
        const items = pods.map((gpus) => gpuPod(gpus));
        expect(packed(gpuNode(size), items)).toBe(fewestNodes(size, pods));
      }),
    );
  });

  it("does not depend on the order of items whose GPU counts are powers of two", () => {
    const reordered = powerOfTwoPods.chain((items) =>
      fc.tuple(fc.constant(items), fc.shuffledSubarray(items, { minLength: items.length, maxLength: items.length })),
    );
    fc.assert(
      fc.property(reordered, ([items, shuffled]) => {
        expect(packed(gpuNode(8), shuffled)).toBe(packed(gpuNode(8), items));
      }),
    );
  });

  it("needs as few nodes as possible for pods that are a whole fraction of others, largest first, on any node", () => {
    const few = fc.array(fc.constantFrom(1, 2, 4), { maxLength: 8 });
    fc.assert(
      fc.property(few, fc.constantFrom(5, 6, 7), (pods, size) => {
        const largestFirst = [...pods].sort((a, b) => b - a);
        const items = largestFirst.map((gpus) => gpuPod(gpus));
        expect(packed(gpuNode(size), items)).toBe(fewestNodes(size, pods));
      }),
    );
  });

  it("never needs fewer nodes for one more item or one more replica", () => {
    fc.assert(
      fc.property(anyNode, anyItems, anyItem, (node, items, extra) => {
        const before = packed(node, items);
        const once = packed(node, [...items, extra]);
        const more = packed(node, [...items, { ...extra, count: extra.count + 1 }]);
        expect(once).toBeGreaterThanOrEqual(before);
        expect(more).toBeGreaterThanOrEqual(once);
      }),
    );
  });

  it("treats a count like that many single items", () => {
    fc.assert(
      fc.property(anyNode, anyItems, (node, items) => {
        const singles = items.flatMap((item) => Array.from({ length: item.count }, () => ({ ...item, count: 1 })));
        const fittingItems = items.filter(({ demand, count }) => count > 0 || holds(node, demand));
        expect(packed(node, fittingItems)).toBe(packed(node, singles));
      }),
    );
  });

  it("leaves the packing it starts from unchanged", () => {
    const half = NodePacking.empty(gpuNode(8)).with(gpuPod(4));
    expect(half.with(gpuPod(8)).nodes).toBe(2);
    expect(half.with(gpuPod(4)).nodes).toBe(1);
    expect(half.nodes).toBe(1);
  });

  it("fills a started node before it divides the next pods over several", () => {
    // Two nodes with 2 GPUs left each: both small pods belong on one of them, so that the pair still fits.
    expect(packed(gpuNode(8), [gpuPod(6, 2), gpuPod(1, 2), gpuPod(2)])).toBe(2);
  });

  it("adds decimal fractions without drift", () => {
    const tenth = { demand: { gpus: 0, cpu: 0.1, memoryGiB: 0.25 }, count: 30, nodesPerReplica: 1 };
    expect(packed({ gpus: 0, cpu: 3, memoryGiB: 7.5 }, [tenth])).toBe(1);
    expect(packed({ gpus: 0, cpu: 3, memoryGiB: 7.5 }, [{ ...tenth, count: 31 }])).toBe(2);
  });

  it("says Infinity for a pod larger than a node, and ends for a pod that asks for nothing", () => {
    expect(packed(gpuNode(4), [gpuPod(8)])).toBe(Number.POSITIVE_INFINITY);
    expect(packed(gpuNode(4), [{ ...gpuPod(0), count: 1000 }])).toBe(1);
    expect(packed(gpuNode(0), [{ ...gpuPod(0), count: 1000 }])).toBe(1);
  });

  it("gives each replica over several nodes nodes of its own", () => {
    expect(packed(gpuNode(8), [{ ...gpuPod(8, 3), nodesPerReplica: 2 }, gpuPod(1)])).toBe(7);
  });
});

describe("holds", () => {
  it("agrees with the packing", () => {
    fc.assert(
      fc.property(anyNode, anyItem, (node, { demand }) => {
        const nodes = packed(node, [{ demand, count: 1, nodesPerReplica: 1 }]);
        expect(holds(node, demand)).toBe(nodes === 1);
      }),
    );
  });
});

describe("pods that are kept apart", () => {
  it.each([
    ["take a node each", [{ ...gpuPod(4, 2), apart: 2 }], 2],
    ["share nodes in rounds", [{ ...gpuPod(4, 4), apart: 2 }], 2],
    ["take a further node when all are full", [{ ...gpuPod(4, 5), apart: 2 }], 3],
    ["use nodes that others began", [gpuPod(4, 1), { ...gpuPod(4, 2), apart: 2 }], 2],
    ["leave room to others", [{ ...gpuPod(4, 2), apart: 2 }, gpuPod(4, 2)], 2],
  ])("%s", (_, items, nodes) => {
    expect(packed(gpuNode(8), items)).toBe(nodes);
  });

  it("take as many nodes as their count asks for, and no fewer than wherever there is room", () => {
    fc.assert(
      fc.property(anyNode, anyItem, fc.integer({ min: 2, max: 6 }), (node, item, apart) => {
        const nodes = packed(node, [{ ...item, apart }]);
        expect(nodes).toBeGreaterThanOrEqual(packed(node, [item]));
        if (item.count > 0 && item.nodesPerReplica === 1) {
          expect(nodes).toBeGreaterThanOrEqual(Math.min(apart, item.count));
        }
      }),
    );
  });
});
