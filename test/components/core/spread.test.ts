/** Where pods that are spread may go, by the rule of kube-scheduler (PodTopologySpread, Filter; Kubernetes 1.36). */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spread, type TopologySpread } from "../../../components/core/hardened-pod";
import { leastSpread } from "../../../planner/availability/spread";
import { anyQuestion } from "../../planner/availability/questions";

interface Node {
  readonly zone: number;
  readonly pods: number;
}

/** Pods by the value of a constraint's key, of all nodes that there are. */
function counts(nodes: readonly Node[], { topologyKey }: TopologySpread): Map<number, number> {
  const key = (node: Node, i: number) => (topologyKey === "kubernetes.io/hostname" ? i : node.zone);
  const found = new Map<number, number>();
  for (const [i, node] of nodes.entries()) {
    found.set(key(node, i), (found.get(key(node, i)) ?? 0) + node.pods);
  }
  return found;
}

function allows(nodes: readonly Node[], index: number, constraint: TopologySpread): boolean {
  const { whenUnsatisfiable, topologyKey, maxSkew, minDomains = 1 } = constraint;
  const found = counts(nodes, constraint);
  const least = found.size < minDomains ? 0 : Math.min(...found.values());
  const own = found.get(topologyKey === "kubernetes.io/hostname" ? index : (nodes[index]?.zone ?? 0)) ?? 0;
  return whenUnsatisfiable !== "DoNotSchedule" || own + 1 - least <= maxSkew;
}

/** One pod after the other, each to one of the nodes that its constraints allow, which chance chooses. */
function schedule(zones: number, pods: number, constraints: readonly TopologySpread[], chance: () => number): Node[] {
  // As many nodes in each zone as there are pods: none is full.
  let nodes: readonly Node[] = Array.from({ length: zones * pods }, (_, i) => ({ zone: i % zones, pods: 0 }));
  for (let i = 0; i < pods; i++) {
    const allowed = nodes.flatMap((_, index) =>
      constraints.every((each) => allows(nodes, index, each)) ? [index] : [],
    );
    const chosen = allowed[Math.floor(chance() * allowed.length)];
    nodes = nodes.map((node, index) => (index === chosen ? { ...node, pods: node.pods + 1 } : node));
  }
  return [...nodes];
}

describe("replicas that are kept apart", () => {
  it("all find a place, are as far apart as is promised, and use every zone before a second one is in any", () => {
    fc.assert(
      fc.property(anyQuestion, fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })), (asked, chances) => {
        const { apart } = leastSpread({ ...asked, nodesPerReplica: 1 });
        const chance = () => chances.next().value ?? 0;
        const { replicas, zones } = asked;
        const nodes = schedule(zones, replicas, spread({ app: "chat" }, apart), chance);
        const inZones = Array.from({ length: zones }, (_, zone) =>
          nodes.filter((node) => node.zone === zone).reduce((sum, { pods }) => sum + pods, 0),
        );
        expect(inZones.reduce((sum, pods) => sum + pods, 0)).toBe(replicas);
        expect(nodes.filter(({ pods }) => pods > 0).length).toBeGreaterThanOrEqual(apart.nodes);
        expect(inZones.filter((pods) => pods > 0).length).toBeGreaterThanOrEqual(apart.zones);
        if (apart.zones > 1) {
          expect(Math.max(...inZones) - Math.min(...inZones)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});
