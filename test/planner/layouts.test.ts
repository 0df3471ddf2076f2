import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Layout, type LayoutLimits, layouts } from "../../planner/layouts";

const parallelism = fc.option(fc.integer({ min: 1, max: 16 }), { nil: undefined });
const limits: fc.Arbitrary<LayoutLimits> = fc.record({
  gpusOnNode: fc.constantFrom(0, 1, 2, 3, 4, 6, 8, 16),
  maxNodes: fc.integer({ min: 1, max: 6 }),
  layers: fc.integer({ min: 1, max: 126 }),
  tensorParallel: parallelism,
  pipelineParallel: parallelism,
});
const gpus = (layout: Layout) => layout.gpusPerNode * layout.nodesPerReplica;

describe("layouts", () => {
  it("keeps every rule of tensor and pipeline parallelism", () => {
    fc.assert(
      fc.property(limits, (given) => {
        for (const layout of layouts(given)) {
          const { tensorParallel, pipelineParallel, nodesPerReplica, gpusPerNode } = layout;
          expect(tensorParallel * pipelineParallel).toBe(gpus(layout));
          expect(gpusPerNode % tensorParallel).toBe(0);
          expect(gpusPerNode).toBeLessThanOrEqual(given.gpusOnNode);
          expect(pipelineParallel).toBeLessThanOrEqual(given.layers);
          expect(nodesPerReplica).toBeLessThanOrEqual(given.maxNodes);
          expect(nodesPerReplica === 1 || gpusPerNode === given.gpusOnNode).toBe(true);
          expect(tensorParallel).toBe(given.tensorParallel ?? tensorParallel);
          expect(pipelineParallel).toBe(given.pipelineParallel ?? pipelineParallel);
        }
      }),
    );
  });

  it("orders by nodes, then pipeline stages, then GPUs, and repeats none", () => {
    fc.assert(
      fc.property(limits, (given) => {
        const found = layouts(given);
        for (const [i, next] of found.slice(1).entries()) {
          const previous = found[i] ?? next;
          const order =
            next.nodesPerReplica - previous.nodesPerReplica ||
            next.pipelineParallel - previous.pipelineParallel ||
            gpus(next) - gpus(previous);
          expect(order).toBeGreaterThan(0);
        }
      }),
    );
  });

  it("misses none: the pinned layouts are exactly those of the free search that match", () => {
    fc.assert(
      fc.property(limits, (given) => {
        const free = layouts({ ...given, tensorParallel: undefined, pipelineParallel: undefined });
        const matching = free.filter(
          (l) =>
            l.tensorParallel === (given.tensorParallel ?? l.tensorParallel) &&
            l.pipelineParallel === (given.pipelineParallel ?? l.pipelineParallel),
        );
        expect(layouts(given)).toEqual(matching);
      }),
    );
  });

  it("lists every split of a node and of two nodes", () => {
    const found = layouts({ gpusOnNode: 4, maxNodes: 2, layers: 80 });
    expect(found.map((l) => `${l.nodesPerReplica}: ${l.tensorParallel} × ${l.pipelineParallel}`)).toEqual([
      "1: 1 × 1",
      "1: 2 × 1",
      "1: 3 × 1",
      "1: 4 × 1",
      "1: 1 × 2",
      "1: 2 × 2",
      "1: 1 × 3",
      "1: 1 × 4",
      "2: 4 × 2",
      "2: 2 × 4",
      "2: 1 × 8",
    ]);
  });
});
