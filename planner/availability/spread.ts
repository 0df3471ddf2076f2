/** How far the replicas of a model must be kept apart for what is promised of it. */
import type { Uptime } from "../../catalog/uptime";
import { leftWithout, type Placed, survival } from "./survival";

/** The replicas that always run are on at least so many nodes, in at least so many zones. 1: wherever there is room. */
export interface Apart {
  readonly nodes: number;
  readonly zones: number;
  /** Zones of the pool, by their label: all that its pods may be in. @default not known, or `zones` is 1 */
  readonly zoneNames?: readonly string[];
}

/** Replicas that are left when one node, or one zone, is lost. Of replicas that a head keeps together: one without it. */
export interface LeftReplicas {
  readonly node: number;
  readonly zone: number;
  /** Of them, those that are counted where the head's node or zone is lost. @default there is no head */
  readonly head?: 0;
}

/** What is promised of a model's availability, and what its replicas keep of it. */
export interface AvailabilityPlan {
  /** Part of the requests that are to be answered. */
  readonly promised: number;
  /** Part of the time in which enough replicas are there, at the uptimes of their pool. */
  readonly expected: number;
  /** Replicas that always run. */
  readonly replicas: number;
  /** Of them, those without which the others do not answer the traffic. */
  readonly needed: number;
  readonly apart: Apart;
  readonly left: LeftReplicas;
  /** Where the promise is not kept: nodes of the pool in so many zones would keep it, with as many replicas. @default no number of zones does */
  readonly keptInZones?: number;
  /** That it rests on. */
  readonly uptime: Uptime;
}

export interface SpreadQuestion extends Pick<AvailabilityPlan, "promised" | "replicas" | "needed" | "uptime"> {
  /** Nodes of one replica, which takes them for itself. */
  readonly nodesPerReplica: number;
  /** Most replicas that an empty node of the pool holds. */
  readonly mostOnNode: number;
  /** Most nodes of the pool. */
  readonly maxNodes: number;
  /** Zones that nodes of the pool may be in. */
  readonly zones: number;
  /** Most zones that nodes of the pool can be in. @default as many as there are replicas */
  readonly mostZones?: number;
  /**
   * One pod, on whatever node of the pool, keeps the replicas together, with its state on one volume. They answer on while it is away; that the next one takes
   * them over was not seen with what is rendered (docs/ray-serve.md), so none is counted without it.
   */
  readonly hasHead: boolean;
}

/** Rounding is no failure. */
const EPSILON = 1e-12;

/**
 * The least that keeps the promise: replicas wherever there is room, each on a node of its own, and these in two zones or more. Where
 * nothing keeps it, what comes nearest.
 *
 * Of placements on as many nodes, which cost the same, the one that needs the fewest zones: a replica waits for those that a rule demands, and
 * machines of a kind are not in every zone. Zones beyond are used all the same, before a second replica is in any (`spread`).
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

/** What all zones share is there for no more than `uptime.region`: from there on only a node that is away with it alone keeps a promise. */
export function keepsPromise({
  promised,
  expected,
  uptime,
}: Pick<AvailabilityPlan, "promised" | "expected" | "uptime">): boolean {
  return promised < uptime.region
    ? expected >= promised - EPSILON
    : uptime.node >= promised && expected >= promised - EPSILON;
}

/** From the cheapest on. All nodes of one replica are in one zone, which nobody here can choose for it. */
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
 * How often the node of the head is there while what it shares with the replicas is. Its least lucky place is a node that no replica is on, in a
 * zone of its own where the pool has several; a pool of one node has no such place.
 */
function headUptime({ maxNodes, zones, uptime: { node, zone, region } }: SpreadQuestion, placed: Placed): number {
  const isWithReplicas = maxNodes === 1 && placed.flat().length === 1;
  return isWithReplicas ? 1 : node / (zones > 1 ? region : Math.min(zone, region));
}

/** Where the scheduler may put them: of what a spread allows, the least lucky. */
function worstPlaces({ replicas, mostOnNode, nodesPerReplica }: SpreadQuestion, { nodes, zones }: Apart): Placed {
  const perNode = nodes > 1 || nodesPerReplica > 1 ? 1 : Math.max(1, Math.min(replicas, mostOnNode));
  const filled = Array.from({ length: Math.ceil(replicas / perNode) }, (_, i) =>
    Math.min(perNode, replicas - i * perNode),
  );
  return Array.from({ length: zones }, (_, zone) => filled.filter((_, i) => i % zones === zone));
}
