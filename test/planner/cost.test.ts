import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hourlyUsd, onPremNode, sizedFlex } from "../../catalog/shapes";
import { type BilledPool, costOf, monthlyUsd } from "../../planner/cost";
import { shapeNamed } from "./fixtures";

const a10 = shapeNamed("VM.GPU.A10.1");
const arm = (ocpus: number, memoryGB: number) => sizedFlex(shapeNamed("VM.Standard.A1.Flex"), { ocpus, memoryGB });
const armPool = (name: string, nodes: number, { ocpus = 4, memoryGB = 24 } = {}): BilledPool => {
  const shape = arm(ocpus, memoryGB);
  return { name, shape, nodes, maxNodes: nodes, usdPerNodeHour: hourlyUsd(shape) ?? 0 };
};

const anyPool: fc.Arbitrary<BilledPool> = fc
  .record({
    arm: fc.boolean(),
    nodes: fc.nat(10),
    moreNodes: fc.nat(3),
    usdPerNodeHour: fc.double({ min: 0, max: 100, noNaN: true }),
    scheduled: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ arm: isArm, moreNodes, scheduled, ...pool }) => ({
    ...pool,
    scheduledNodeHours: scheduled * moreNodes * 730,
    name: "pool",
    maxNodes: pool.nodes + moreNodes,
    shape: isArm ? arm(4, 24) : a10,
  }));

describe("costOf", () => {
  it("prices an A10 at 0.75 USD/h that a schedule starts for 4 h a day as some 90 USD a month", () => {
    const hours = (730 * 4) / 24;
    const pool = { name: "gpu", shape: a10, nodes: 0, scheduledNodeHours: hours, maxNodes: 3, usdPerNodeHour: 0.75 };
    expect(costOf([pool], 200)).toEqual({
      hourlyUsd: 0,
      monthlyUsd: 91.25,
      maxMonthlyUsd: 1642.5,
      monthlyBudgetUsd: 200,
      notPriced: ["volumes", "load balancers", "network traffic", "the control plane"],
      items: [{ name: "gpu", hourlyUsd: 0, monthlyUsd: 91.25, maxMonthlyUsd: 1642.5 }],
      services: [],
    });
  });

  it("gives one A1.Flex node of 4 OCPUs and 24 GB for nothing, and says so", () => {
    const cost = costOf([armPool("control", 1)], undefined);
    expect(cost.monthlyUsd).toBeCloseTo(0, 9);
    expect(cost.hourlyUsd).toBeCloseTo(4 * 0.01 + 24 * 0.0015, 9);
    expect(cost.items[0]?.note).toBe("VM.Standard.A1.Flex: 55.48 USD a month are free of charge");
  });

  it("grants the free hours once per shape, however they are spread over pools", () => {
    const together = costOf([armPool("control", 3)], undefined).monthlyUsd;
    const apart = costOf([armPool("one", 1), armPool("two", 1), armPool("three", 1)], undefined).monthlyUsd;
    const free = 3000 * 0.01 + 18000 * 0.0015;
    const gross = 3 * 730 * (4 * 0.01 + 24 * 0.0015);
    expect(together).toBeCloseTo(gross - free, 6);
    expect(apart).toBeCloseTo(together, 6);
  });

  it("lets a second pool use what the first left of the free hours", () => {
    const half = { ocpus: 2, memoryGB: 12 };
    const cost = costOf([armPool("one", 1, half), armPool("two", 1, half)], undefined);
    expect(cost.items.map((i) => i.monthlyUsd)).toEqual([expect.closeTo(0, 9), expect.closeTo(0, 9)]);
  });

  it("is the hours at list price less the free allowance, whatever the pools' sizes and hours", () => {
    const armPools = fc
      .record({
        ocpus: fc.integer({ min: 1, max: 8 }),
        nodes: fc.nat(3),
        moreNodes: fc.nat(3),
        scheduled: fc.double({ min: 0, max: 1, noNaN: true }),
      })
      .map(({ ocpus, nodes, moreNodes, scheduled }) => ({
        ...armPool("arm", nodes, { ocpus, memoryGB: 6 * ocpus }),
        scheduledNodeHours: scheduled * moreNodes * 730,
        maxNodes: nodes + moreNodes,
        ocpus,
      }));
    fc.assert(
      fc.property(fc.array(armPools, { maxLength: 4 }), (pools) => {
        const bill = (hoursOf: (pool: (typeof pools)[number]) => number) => {
          const ocpuHours = pools.reduce((sum, p) => sum + p.ocpus * hoursOf(p), 0);
          return Math.max(0, ocpuHours - 3000) * 0.01 + Math.max(0, 6 * ocpuHours - 18_000) * 0.0015;
        };
        const cost = costOf(pools, undefined);
        expect(cost.monthlyUsd).toBeCloseTo(
          bill(({ nodes, scheduledNodeHours }) => 730 * nodes + scheduledNodeHours),
          6,
        );
        expect(cost.maxMonthlyUsd).toBeCloseTo(
          bill(({ maxNodes }) => 730 * maxNodes),
          6,
        );
      }),
    );
  });

  it("takes the hours that a schedule starts off the free hours too", () => {
    const [short, long] = [{ ...armPool("arm", 0), scheduledNodeHours: 3 * 730, maxNodes: 18 }, armPool("arm", 3)];
    expect(costOf([short], undefined).monthlyUsd).toBeCloseTo(costOf([long], undefined).monthlyUsd, 6);
    expect(costOf([short], undefined).monthlyUsd).toBeCloseTo(3 * 55.48 - 57, 6);
  });

  it("names nothing unpriced where all machines are one's own", () => {
    const shape = onPremNode({ gpuCount: 0, vcpus: 8, memoryGiB: 32, localNvmeGB: 0, networkGbps: 1 });
    const pool = { name: "own", shape, nodes: 1, maxNodes: 1, usdPerNodeHour: 0.2 };
    expect(costOf([pool], undefined)).toMatchObject({ monthlyUsd: 146, maxMonthlyUsd: 146, notPriced: [] });
  });

  it("takes the free hours off the largest bill too, once", () => {
    const pool = { ...armPool("control", 1), maxNodes: 3 };
    expect(costOf([pool], undefined).maxMonthlyUsd).toBeCloseTo(
      costOf([armPool("control", 3)], undefined).monthlyUsd,
      6,
    );
  });

  it("never costs less at most than at least", () => {
    fc.assert(
      fc.property(fc.array(anyPool, { maxLength: 6 }), (pools) => {
        const cost = costOf(pools, undefined);
        expect(cost.maxMonthlyUsd).toBeGreaterThanOrEqual(cost.monthlyUsd - 1e-6);
      }),
    );
  });

  it("is the sum of its items, never negative, and never above what the hours cost", () => {
    fc.assert(
      fc.property(fc.array(anyPool, { maxLength: 6 }), (pools) => {
        const cost = costOf(pools, undefined);
        expect(cost.monthlyUsd).toBeCloseTo(
          cost.items.reduce((sum, i) => sum + i.monthlyUsd, 0),
          4,
        );
        for (const [i, item] of cost.items.entries()) {
          const { scheduledNodeHours = 0, usdPerNodeHour = 0 } = pools[i] ?? {};
          const gross = monthlyUsd(item.hourlyUsd) + scheduledNodeHours * usdPerNodeHour;
          expect(item.monthlyUsd).toBeGreaterThanOrEqual(0);
          expect(item.monthlyUsd).toBeLessThanOrEqual(gross + 1e-6);
        }
      }),
    );
  });

  it("never falls when a pool grows or runs longer", () => {
    fc.assert(
      fc.property(fc.array(anyPool, { minLength: 1, maxLength: 6 }), fc.nat(5), (pools, index) => {
        const at = index % pools.length;
        const grown = pools.map((pool, i) => (i === at ? { ...pool, nodes: pool.nodes + 1 } : pool));
        const longer = pools.map((pool, i) => (i === at ? { ...pool, scheduledNodeHours: 3000 } : pool));
        const before = costOf(pools, undefined).monthlyUsd;
        expect(costOf(grown, undefined).monthlyUsd).toBeGreaterThanOrEqual(before - 1e-6);
        expect(costOf(longer, undefined).monthlyUsd).toBeGreaterThanOrEqual(before - 1e-6);
      }),
    );
  });
});
