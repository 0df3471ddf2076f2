/** Availability of a server on a pool, and preference for pools that keep the promise. */
import { uptimeOf } from "../../catalog/uptime";
import { engineOf } from "../../engines";
import { AVAILABILITY } from "../../names/rules";
import type { Candidate, Refusal } from "../candidates/types";
import { replicasFor, type Sizing } from "../level/sizing";
import { type Capacity, mostOnNode } from "../packing";
import type { ModelRequest, PoolRequest } from "../request";
import type { ServerModels } from "../shared-servers";
import type { CapacityProblem } from "../types";
import { type AvailabilityPlan, keepsPromise, leastSpread } from "./spread";
import { keptText, percent, zonesText } from "./text";

/**
 * Undefined without a promise, and for replicas of several kinds of pods, whose share of a failure
 * is unknown.
 */
export function availabilityOn(
  { host, guests }: ServerModels,
  { sizing, layout, resources }: Pick<Candidate, "sizing" | "layout" | "resources">,
  pool: Pick<PoolRequest, "shape" | "maxNodes" | "zones" | "zoneNames" | "uptime" | "most">,
  node: Capacity,
  planned: ModelRequest,
): AvailabilityPlan | undefined {
  const promises = [host, ...guests].flatMap(({ serviceLevel }) => serviceLevel?.availability ?? []);
  if (promises.length === 0 || engineOf(host.engine).answering?.(host) !== undefined) {
    return undefined;
  }
  const needed = neededReplicas(planned, sizing);
  const plan = leastSpread({
    promised: Math.max(...promises),
    replicas: Math.max(1, planned.minReplicas, needed),
    needed,
    uptime: { ...uptimeOf(pool.shape.provider), ...pool.uptime },
    nodesPerReplica: layout.nodesPerReplica,
    mostOnNode: mostOnNode(node, resources),
    maxNodes: pool.maxNodes,
    zones: pool.zones ?? 1,
    ...(pool.most && { mostZones: pool.most.zones }),
    hasHead: engineOf(host.engine).stateGiB !== undefined,
  });
  const { apart } = plan;
  const { zoneNames } = pool;
  return zoneNames === undefined || apart.zones === 1 ? plan : { ...plan, apart: { ...apart, zoneNames } };
}

/**
 * Replicas needed to answer the traffic: at the peak, or on average with autoscaling, which adds
 * replicas at the peak. 1 without traffic. `replicas.min` does not matter: demand has already added
 * them.
 */
function neededReplicas({ traffic, scaling, maxReplicas }: ModelRequest, sizing: Sizing | undefined): number {
  if (traffic === undefined || sizing === undefined) {
    return 1;
  }
  const { needed, rate } = sizing;
  const wanted =
    scaling === undefined || rate.requestsPerSecond === 0
      ? needed
      : Math.min(needed, replicasFor(traffic.requestsPerSecond, rate.requestsPerSecond));
  // If the maximum does not suffice either, the service level refuses.
  return Math.min(wanted, maxReplicas);
}

/** A pool that keeps the promise wins over any that does not, however cheap. */
export function keepingPromise({
  candidates,
  refusals,
}: {
  readonly candidates: Candidate[];
  readonly refusals: Refusal[];
}): { readonly candidates: Candidate[]; readonly refusals: Refusal[] } {
  const broken = candidates.filter(({ availability }) => availability !== undefined && !keepsPromise(availability));
  if (broken.length === 0 || broken.length === candidates.length) {
    return { candidates, refusals };
  }
  const tooRare = broken.flatMap(({ pool, availability }): Refusal[] =>
    availability ? [{ pool, reason: `its replicas would answer ${keptText(availability)} there` }] : [],
  );
  return { candidates: candidates.filter((each) => !broken.includes(each)), refusals: [...refusals, ...tooRare] };
}

/** At equal cost the first pool wins: with a promise, the one with most zones. */
export function mostZonesFirst(candidates: readonly Candidate[], pools: readonly PoolRequest[]): Candidate[] {
  const zonesOf = ({ availability, pool }: Candidate) =>
    availability === undefined ? 1 : (pools.find(({ name }) => name === pool)?.zones ?? 1);
  return candidates.toSorted((a, b) => zonesOf(b) - zonesOf(a));
}

export function availabilityProblems(
  { name, derived = [] }: Pick<ModelRequest, "name" | "derived">,
  { availability, pool }: Pick<Candidate, "availability" | "pool">,
  pools: readonly PoolRequest[],
): CapacityProblem[] {
  if (availability === undefined || keepsPromise(availability)) {
    return [];
  }
  const { promised, uptime, keptInZones } = availability;
  const placedOn = pools.find((each) => each.name === pool);
  const remedies = [
    ...(derived.includes("replicas") ? [`write models.${name}.replicas: {min: ${availability.replicas + 1}}`] : []),
    ...(placedOn && keptInZones !== undefined ? [`have ${zonesText(placedOn, keptInZones)}`] : []),
  ];
  return [
    {
      severity: "mandatory",
      rule: AVAILABILITY,
      subject: `models.${name}`,
      message: `${name}: serviceLevel.availability is ${promised}, and on pool "${pool}" its replicas answer ${keptText(availability)} at best.${
        promised >= uptime.region
          ? ` Nothing in one region is there for more than ${percent(uptime.region)}: write less.`
          : ""
      }`,
      ...(remedies.length > 0 && { remedies }),
    },
  ];
}
