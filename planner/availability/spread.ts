/** How far apart replicas must be for a promised availability. */
import type { Uptime } from "../../catalog/uptime";
import { leftWithout, type Placed, survival } from "./survival";

/** Least nodes and zones of the permanent replicas. 1: anywhere. */
export interface Apart {
  readonly nodes: number;
  readonly zones: number;
  /** Zone labels of the pool: its pods may be in these only. @default unknown, or `zones` is 1 */
  readonly zoneNames?: readonly string[];
}

/** Replicas left after losing one node or zone; with a head, one other than the head's. */
export interface LeftReplicas {
  readonly node: number;
  readonly zone: number;
  /** Replicas that count when the head's node or zone is lost. @default no head */
  readonly head?: 0;
}

export interface AvailabilityPlan {
  /** Fraction of requests. */
  readonly promised: number;
  /** Fraction of time with enough replicas, at the pool's uptimes. */
  readonly expected: number;
  readonly replicas: number;
  /** Replicas needed for the traffic. */
  readonly needed: number;
  readonly apart: Apart;
  readonly left: LeftReplicas;
  /** If broken: number of zones to keep the promise with the same replicas. @default none */
  readonly keptInZones?: number;
  /** Basis of `expected`. */
  readonly uptime: Uptime;
}

export interface SpreadQuestion extends Pick<AvailabilityPlan, "promised" | "replicas" | "needed" | "uptime"> {
  /** Nodes of one replica, exclusively. */
  readonly nodesPerReplica: number;
  readonly mostOnNode: number;
  readonly maxNodes: number;
  readonly zones: number;
  /** Most zones possible for the pool. @default one per replica */
  readonly mostZones?: number;
  /**
   * One head pod, on any node, coordinates the replicas, with its state on one volume. They keep
   * answering while it is away; recovery by its successor was not tested as rendered
   * (docs/ray-serve.md), so without it none counts.
   */
  readonly hasHead: boolean;
}

const EPSILON = 1e-12;

/**
 * The smallest spread that keeps the promise: any nodes, then separate nodes, then two or more
 * zones. If none does, the nearest.
 *
 * Among equal node counts, which cost the same, the fewest zones: replicas wait for required zones,
 * and machine types are missing in some. Further zones are still used before a second replica
 * shares one (`spread`).
 */
export function leastSpread(question: SpreadQuestion): AvailabilityPlan {
  const plans = spreads(question).map((apart) => planWith(question, apart));
  const kept = plans.find(keepsPromise);
  if (kept !== undefined) {
    return kept;
  }
  const best = plans.reduce((a, b) => (b.expected > a.expected + EPSILON ? b : a));
  const keptInZones = spreads({ ...question, zones: question.mostZones ?? question.replicas }).find(
    (apart) => apart.zones > question.zones && keepsPromise(planWith({ ...question, zones: apart.zones }, apart)),
  )?.zones;
  return { ...best, ...(keptInZones !== undefined && { keptInZones }) };
}

/**
 * A region's shared parts are up no more than `uptime.region`: beyond, only a node failing alone
 * counts.
 */
export function keepsPromise({
  promised,
  expected,
  uptime,
}: Pick<AvailabilityPlan, "promised" | "expected" | "uptime">): boolean {
  return promised < uptime.region
    ? expected >= promised - EPSILON
    : uptime.node >= promised && expected >= promised - EPSILON;
}

/** Cheapest first. All nodes of one replica are in one zone, which cannot be chosen here. */
function spreads({ replicas, nodesPerReplica, zones }: SpreadQuestion): Apart[] {
  const most = nodesPerReplica > 1 ? 1 : Math.max(1, Math.min(zones, replicas));
  return [{ nodes: 1, zones: 1 }, ...Array.from({ length: most }, (_, i) => ({ nodes: replicas, zones: i + 1 }))];
}

function planWith(question: SpreadQuestion, apart: Apart): AvailabilityPlan {
  const { promised, replicas, needed, uptime, nodesPerReplica, hasHead } = question;
  const placed = worstPlaces(question, apart);
  return {
    promised,
    expected:
      survival(placed, needed, uptime, nodesPerReplica) * (hasHead ? headUptime(question, placed) * uptime.volume : 1),
    replicas,
    needed,
    apart,
    left: {
      node: leftWithout(placed, "node"),
      zone: leftWithout(placed, "zone"),
      ...(hasHead && { head: 0 }),
    },
    uptime,
  };
}

/**
 * Uptime of the head's node given what it shares with the replicas. Worst case: a node without
 * replicas, in a zone of its own if the pool has several; a pool of one node has no such place.
 */
function headUptime({ maxNodes, zones, uptime: { node, zone, region } }: SpreadQuestion, placed: Placed): number {
  const isWithReplicas = maxNodes === 1 && placed.flat().length === 1;
  return isWithReplicas ? 1 : node / (zones > 1 ? region : Math.min(zone, region));
}

function worstPlaces({ replicas, mostOnNode, nodesPerReplica }: SpreadQuestion, { nodes, zones }: Apart): Placed {
  const perNode = nodes > 1 || nodesPerReplica > 1 ? 1 : Math.max(1, Math.min(replicas, mostOnNode));
  const filled = Array.from({ length: Math.ceil(replicas / perNode) }, (_, i) =>
    Math.min(perNode, replicas - i * perNode),
  );
  return Array.from({ length: zones }, (_, zone) => filled.filter((_, i) => i % zones === zone));
}
