import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Uptime, uptimeOf } from "../../../catalog/uptime";
import { leftWithout, type Placed, survival } from "../../../planner/availability/survival";
import { atNight } from "../../harness/property-runs";

const AWS = uptimeOf("aws");
const fraction = fc.double({ min: 0.5, max: 1, noNaN: true });
/** Each holds what it depends on. */
const anyUptime = fc
  .tuple(fraction, fraction, fraction)
  .map((all) => all.toSorted((a, b) => a - b))
  .map(([node = 1, zone = 1, region = 1]) => ({ node, zone, region }));
const anyPlaced: fc.Arbitrary<Placed> = fc.array(fc.array(fc.nat(2), { maxLength: 2 }), { minLength: 1, maxLength: 3 });
const total = (placed: Placed) => placed.flat().reduce((sum, replicas) => sum + replicas, 0);
type Standing = Pick<Uptime, "node" | "zone" | "region">;
const runs = { numRuns: atNight(200) };

/** By every state of zones and nodes, the long way. */
function enumerated(placed: Placed, needed: number, { node, zone, region }: Standing) {
  const [zoneAlone, nodeAlone] = [zone / region, node / zone];
  const states = (things: number) =>
    Array.from({ length: 2 ** things }, (_, bits) => Array.from({ length: things }, (_, i) => ((bits >> i) & 1) === 1));
  const odds = (up: boolean[], one: number) => up.reduce((product, is) => product * (is ? one : 1 - one), 1);
  const nodes = placed.flatMap((replicas, at) => replicas.map((count) => ({ count, at })));
  let kept = 0;
  for (const zonesUp of states(placed.length)) {
    for (const nodesUp of states(nodes.length)) {
      const answering = nodes.reduce((sum, { count, at }, i) => sum + (zonesUp[at] && nodesUp[i] ? count : 0), 0);
      kept += answering >= needed ? odds(zonesUp, zoneAlone) * odds(nodesUp, nodeAlone) : 0;
    }
  }
  return region * kept;
}

describe("the part of the time in which enough replicas are there", () => {
  it.each([
    ["one node is the node's own uptime", [[1]], 1, AWS.node],
    ["two replicas on one node are no better", [[2]], 1, AWS.node],
    ["two nodes of one zone are less than the zone's", [[1, 1]], 1, 0.998984],
    ["two nodes in two zones are nearly the region's", [[1], [1]], 1, 0.999876],
    ["both of two in two zones are rarer than one", [[1], [1]], 2, 0.990124],
  ])("of %s", (_, placed, needed, expected) => {
    expect(survival(placed, needed, AWS)).toBeCloseTo(expected, 5);
  });

  it("is what counting every state of zones and nodes gives", () => {
    fc.assert(
      fc.property(anyPlaced, fc.nat(4), anyUptime, (placed, needed, uptime) => {
        expect(survival(placed, needed, uptime)).toBeCloseTo(enumerated(placed, needed, uptime), 9);
      }),
      runs,
    );
  });

  it("lies between none and the region's, and falls with the replicas that are needed", () => {
    fc.assert(
      fc.property(anyPlaced, fc.nat(4), anyUptime, (placed, needed, uptime) => {
        const kept = survival(placed, needed, uptime);
        expect(kept).toBeGreaterThanOrEqual(0);
        expect(kept).toBeLessThanOrEqual(uptime.region + 1e-9);
        expect(survival(placed, needed + 1, uptime)).toBeLessThanOrEqual(kept + 1e-9);
      }),
      runs,
    );
  });

  it("does not fall when a replica is added on a node of its own, nor when a node is more often there", () => {
    fc.assert(
      fc.property(anyPlaced, fc.nat(4), anyUptime, (placed, needed, uptime) => {
        const kept = survival(placed, needed, uptime);
        const [first = [], ...others] = placed;
        expect(survival([[...first, 1], ...others], needed, uptime)).toBeGreaterThanOrEqual(kept - 1e-9);
        expect(survival(placed, needed, { ...uptime, node: uptime.zone })).toBeGreaterThanOrEqual(kept - 1e-9);
      }),
      runs,
    );
  });

  it("needs every node of a replica that spans several", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), anyUptime, (nodes, uptime) => {
        const alone = uptime.node / uptime.zone;
        expect(survival([[1]], 1, uptime, nodes)).toBeCloseTo(uptime.zone * alone ** nodes, 9);
      }),
      runs,
    );
  });
});

describe("what is left", () => {
  it("lacks the node, or the zone, that has most", () => {
    expect([leftWithout([[2, 1], [2]], "node"), leftWithout([[2, 1], [2]], "zone"), leftWithout([[]], "zone")]).toEqual(
      [3, 2, 0],
    );
  });

  it("is never more without a zone than without a node", () => {
    fc.assert(
      fc.property(anyPlaced, (placed) => {
        const [node, zone] = [leftWithout(placed, "node"), leftWithout(placed, "zone")];
        expect(zone).toBeLessThanOrEqual(node);
        expect(node).toBeLessThanOrEqual(total(placed));
      }),
      runs,
    );
  });
});
