import type { Uptime } from "../../catalog/uptime";

/** Replicas on each node, by zone. */
export type Placed = readonly (readonly number[])[];

/** Probability by number of available replicas. */
type Distribution = readonly number[];

/** Certainly no replicas. */
const NONE: Distribution = [1];

/**
 * Fraction of time with at least `needed` replicas. Nodes fail independently, zones too, and a
 * regional failure takes all: an uptime includes what it depends on, so that a single node is up
 * exactly `uptime.node`.
 *
 * @param nodesPerReplica nodes of one replica, all needed; above 1, each entry of `placed` is one
 * replica.
 */
export function survival(
  placed: Placed,
  needed: number,
  uptime: Pick<Uptime, "node" | "zone" | "region">,
  nodesPerReplica = 1,
): number {
  const region = uptime.region;
  const zone = alone(uptime.zone, region);
  const node = alone(uptime.node, Math.min(uptime.zone, region)) ** nodesPerReplica;
  const up = placed
    .map((nodes) => {
      const whole = nodes.map((replicas) => sometimes(replicas, node)).reduce(sum, NONE);
      return whole.map((probability, count) => zone * probability + (count === 0 ? 1 - zone : 0));
    })
    .reduce(sum, NONE);
  return region * up.slice(needed).reduce((total, probability) => total + probability, 0);
}

/** Uptime given that everything it depends on is up. */
function alone(own: number, around: number): number {
  return around === 0 ? 0 : Math.min(1, own / around);
}

/** All with this probability, else none. */
function sometimes(replicas: number, probability: number): Distribution {
  return Array.from({ length: replicas + 1 }, (_, count) =>
    replicas === 0 ? 1 : count === replicas ? probability : count === 0 ? 1 - probability : 0,
  );
}

function sum(a: Distribution, b: Distribution): Distribution {
  return Array.from({ length: a.length + b.length - 1 }, (_, count) =>
    a.reduce((total, probability, i) => total + probability * (b[count - i] ?? 0), 0),
  );
}

/** Replicas left after losing the node or zone with most of them. */
export function leftWithout(placed: Placed, lost: "node" | "zone"): number {
  const total = (nodes: readonly number[]) => nodes.reduce((all, replicas) => all + replicas, 0);
  const sizes = lost === "node" ? placed.flat() : placed.map(total);
  return total(placed.flat()) - Math.max(0, ...sizes);
}
