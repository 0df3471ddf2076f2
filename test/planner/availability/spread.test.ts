import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { uptimeOf } from "../../../catalog/uptime";
import { PROMISES } from "../../../planner/availability/promises";
import { keepsPromise, leastSpread, type SpreadQuestion } from "../../../planner/availability/spread";
import { keptText, percent } from "../../../planner/availability/text";
import { atNight } from "../../harness/property-runs";
import { anyQuestion } from "./questions";

const question = (changes: Partial<SpreadQuestion>): SpreadQuestion => ({
  promised: 0.999,
  replicas: 2,
  needed: 1,
  nodesPerReplica: 1,
  mostOnNode: 2,
  maxNodes: 4,
  zones: 3,
  hasHead: false,
  uptime: uptimeOf("aws"),
  ...changes,
});

const runs = { numRuns: atNight(200) };

describe("the least spread", () => {
  it.each([
    ["one node where that is enough", { promised: 0.99 }, { nodes: 1, zones: 1 }],
    ["two nodes of one zone where zones are no more", { promised: 0.998, zones: 1 }, { nodes: 2, zones: 1 }],
    ["two nodes in two zones for three nines", {}, { nodes: 2, zones: 2 }],
    ["a node for each replica, in as few zones as do", { replicas: 3, promised: 0.9995 }, { nodes: 3, zones: 2 }],
    ["one zone for replicas that span nodes", { nodesPerReplica: 2, promised: 0.9 }, { nodes: 1, zones: 1 }],
  ])("is %s", (_, changes, apart) => {
    expect(leastSpread(question(changes)).apart).toEqual(apart);
  });

  it("says what a lost node and a lost zone leave", () => {
    expect(leastSpread(question({ promised: 0.99 })).left).toEqual({ node: 0, zone: 0 });
    expect(leastSpread(question({})).left).toEqual({ node: 1, zone: 1 });
    expect(leastSpread(question({ promised: 0.998, zones: 1 })).left).toEqual({ node: 1, zone: 0 });
  });

  it("cannot make up for the one pod that keeps replicas together, and its volume", () => {
    const best = leastSpread(question({ replicas: 3, hasHead: true }));
    expect([keepsPromise(best), best.left]).toEqual([false, { node: 2, zone: 2, head: 0 }]);
    expect(best.expected).toBeLessThanOrEqual(uptimeOf("aws").node * uptimeOf("aws").volume);
    expect(keepsPromise(leastSpread(question({ promised: 0.99, hasHead: true })))).toBe(true);
  });

  it.each([
    ["a pool of one node, on which the head is too", { maxNodes: 1, zones: 1 }, 0.995 * 0.999],
    ["nodes of one zone, of which the head may be on another", { zones: 1 }, 0.995 * (0.995 / 0.999) * 0.999],
    ["nodes of three zones, of which the head may be in another", {}, 0.995 * (0.995 / 0.9999) * 0.999],
  ])("counts the head's node once on %s", (_, changes, expected) => {
    const one = question({ promised: 0.9, replicas: 1, hasHead: true, ...changes });
    expect(leastSpread(one).expected).toBeCloseTo(expected, 12);
  });

  it("is the best there is where nothing keeps the promise", () => {
    const best = leastSpread(question({ promised: 0.99999 }));
    expect([keepsPromise(best), best.apart]).toEqual([false, { nodes: 2, zones: 2 }]);
  });

  it("keeps nothing at or above what a region is there for, however many zones round up to it", () => {
    const many = leastSpread(question({ promised: 0.9999, replicas: 6, zones: 6, uptime: uptimeOf("oci") }));
    expect([keepsPromise(many), many.expected]).toEqual([false, expect.closeTo(0.9999, 12)]);
  });

  it("keeps a kept promise, and a lower one for no more nodes and zones", () => {
    fc.assert(
      fc.property(anyQuestion, fc.constantFrom(...PROMISES), (asked, other) => {
        const [low, high] = [Math.min(asked.promised, other), Math.max(asked.promised, other)];
        const [mild, strict] = [low, high].map((promised) => leastSpread({ ...asked, promised }));
        if (mild && strict && keepsPromise(strict)) {
          expect(keepsPromise(mild)).toBe(true);
          expect(mild.apart.nodes).toBeLessThanOrEqual(strict.apart.nodes);
          expect(mild.apart.zones).toBeLessThanOrEqual(strict.apart.zones);
        }
      }),
      runs,
    );
  });

  it.each([
    ["three zones where two replicas of three must be left", { replicas: 3, needed: 2, zones: 2 }, 3],
    ["no number of zones for replicas that span nodes", { replicas: 3, nodesPerReplica: 2, zones: 1 }, undefined],
    ["no number of zones where a region has no more", { promised: 0.99999 }, undefined],
    ["nothing where the promise is kept", {}, undefined],
  ])("names %s", (_, changes, zones) => {
    expect(leastSpread(question(changes)).keptInZones).toBe(zones);
  });

  it("takes no more nodes than keep the promise, and names further zones exactly where they would keep it on as many", () => {
    fc.assert(
      fc.property(anyQuestion, (asked) => {
        const plan = leastSpread(asked);
        const { apart, keptInZones } = plan;
        const within = (zones: number) => leastSpread({ ...asked, zones });
        if (keepsPromise(plan)) {
          expect(keptInZones).toBeUndefined();
          // Nodes cost: a placement anywhere, or in fewer zones, does not keep it.
          expect(apart.nodes === 1 || leastSpread({ ...asked, promised: 0 }).expected < asked.promised).toBe(true);
          expect(asked.hasHead || apart.zones === 1 || !keepsPromise(within(apart.zones - 1))).toBe(true);
        } else if (keptInZones === undefined) {
          expect(keepsPromise(within(Math.max(asked.zones, asked.replicas)))).toBe(false);
        } else {
          expect(keptInZones).toBeGreaterThan(asked.zones);
          expect(keepsPromise(within(keptInZones))).toBe(true);
          expect(keepsPromise(within(keptInZones - 1))).toBe(false);
        }
      }),
      runs,
    );
  });

  it("never has more zones than the pool or nodes than replicas, and is no worse than any node", () => {
    fc.assert(
      fc.property(anyQuestion, (asked) => {
        const { apart, expected } = leastSpread(asked);
        expect(apart.zones).toBeLessThanOrEqual(Math.min(asked.zones, asked.replicas));
        expect(apart.nodes).toBeLessThanOrEqual(asked.replicas);
        const anywhere = leastSpread({ ...asked, promised: 0 });
        expect(anywhere.apart).toEqual({ nodes: 1, zones: 1 });
        expect(expected).toBeGreaterThanOrEqual(Math.min(anywhere.expected, asked.promised) - 1e-9);
      }),
      runs,
    );
  });

  it("survives a lost node where more than one node's promise is kept by replicas to spare", () => {
    fc.assert(
      fc.property(anyQuestion, (asked) => {
        const plan = leastSpread(asked);
        if (keepsPromise(plan) && asked.promised > asked.uptime.node) {
          expect(plan.left.node).toBeGreaterThanOrEqual(asked.needed);
        }
        if (keepsPromise(plan) && asked.promised > asked.uptime.zone) {
          expect(plan.left.zone).toBeGreaterThanOrEqual(asked.needed);
        }
      }),
      runs,
    );
  });
});

it("figures are rounded down: a promise is not made by rounding", () => {
  expect([0.995, 0.99988, 0.99999, 0.9, 1].map(percent)).toEqual(["99.5 %", "99.988 %", "99.999 %", "90 %", "100 %"]);
  expect(keptText(leastSpread(question({})))).toBe("99.987 % of the time (1 of 2 needed, on 2 nodes in 2 zones)");
  expect(keptText(leastSpread(question({ promised: 0.9 })))).toBe(
    "99.5 % of the time (1 of 2 needed, wherever there is room)",
  );
});
