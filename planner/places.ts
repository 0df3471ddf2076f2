import { modelImageName } from "../engines";
import { type Assignable, type Assignment, cheapestAssignment } from "./assignment";
import { availabilityOn, keepingPromise, mostZonesFirst } from "./availability/placed-level";
import type { Candidate, Refusal } from "./candidates/types";
import type { FitCache } from "./fit-cache";
import { isShort, withReplicas } from "./level/sizing";
import { nodeReserve } from "./node-reserve";
import type { Capacity } from "./packing";
import {
  companionItem,
  heldReplicas,
  heldWhile,
  mostScheduled,
  type Placement,
  packingItem,
  scheduleOf,
} from "./placement";
import { allocatable } from "./pod-resources";
import { cacheProblem, contextProblem, poolsFull } from "./problems";
import { explainRefusal, nearestMiss } from "./refusal";
import type { ModelRequest, PlanRequest, PoolRequest } from "./request";
import { type Phase, phasesOf, shareOfYear } from "./schedule/phases";
import { type ServerModels, serverProblem, serversOf } from "./shared-servers";
import { sourceNameProblems } from "./source-name";
import { isCached } from "./storage";
import type { CapacityProblem, UnplacedModel } from "./types";
import { missOf, type ServerMiss, unplacedModel } from "./unplaced";
import { weightFormatProblem } from "./weight-format";

const NOTHING: Capacity = { gpus: 0, cpu: 0, memoryGiB: 0 };

/** The pool and layout of each server, and the nodes that they take. */
export interface Places {
  readonly placements: readonly Placement[];
  readonly assignment: Assignment;
  readonly phases: readonly Phase[];
  readonly unplaced: readonly UnplacedModel[];
  /** Of models without a place. */
  readonly problems: readonly CapacityProblem[];
}

/** @param fits answers of earlier plans for nearly the same request. */
export function placesOf(request: PlanRequest, fits: FitCache): Places {
  const reserve = nodeReserve({
    ...request,
    models: request.models.length,
    nodeCache: request.models.some(isCached),
  });
  const nodes = new Map(request.pools.map((p) => [p.name, allocatable(p.shape, reserve)]));
  const nodeOf = (pool: PoolRequest) => nodes.get(pool.name) ?? NOTHING;

  const problems: CapacityProblem[] = [];
  const unplaced: UnplacedModel[] = [];
  const leaveOut = ({ host, guests }: ServerModels, told: readonly CapacityProblem[], nearest?: ServerMiss) => {
    problems.push(...told);
    const rule = told[0]?.rule ?? "";
    unplaced.push(
      ...[host, ...guests].map((model, i) => unplacedModel(model, rule, request.pools, missOf(nearest, i))),
    );
  };
  const placeable = new Map<ServerModels, { readonly candidates: Candidate[]; readonly refusals: Refusal[] }>();
  for (const server of serversOf(request.models)) {
    const impossible = [server.host, ...server.guests].flatMap(impossibilities);
    const shared = serverProblem(server);
    if (shared || impossible.length > 0) {
      leaveOut(server, shared ? [...impossible, shared] : impossible);
      continue;
    }
    const pools = allowedPools(server.host, request.pools);
    const fitting = keepingLevel(server.host, fits.onPools(server, pools, nodeOf));
    const { candidates, refusals } = keepingPromise({
      ...fitting,
      candidates: fitting.candidates.map((each) => withAvailability(server, each, pools, nodeOf)),
    });
    if (candidates.length > 0) {
      placeable.set(server, { candidates: mostZonesFirst(candidates, pools), refusals });
    } else {
      leaveOut(server, [explainRefusal(server, pools, refusals)], nearestMiss(refusals));
    }
  }

  const phases = phasesOf([...placeable].map(([{ host }]) => scheduleOf(host)));
  const assignment = cheapestAssignment(
    [...placeable].map(([{ host }, { candidates }], i) => assignable(host, candidates, replicasIn(phases, i))),
    request.pools.map((p) => ({
      name: p.name,
      node: nodeOf(p),
      minNodes: p.minNodes,
      maxNodes: p.maxNodes,
      price: p.usdPerNodeHour,
    })),
    phases.map(shareOfYear),
  );
  const placements: Placement[] = [];
  for (const [i, [server, { candidates, refusals }]] of [...placeable].entries()) {
    const { host, guests } = server;
    const candidate = candidates.find((c) => c.pool === assignment.pools.get(host.name));
    if (candidate) {
      const model = asPlanned(host, candidate);
      const heldOnAverage = phases.reduce(
        (sum, phase) => sum + shareOfYear(phase) * heldWhile(model, phase.replicas[i] ?? 0),
        0,
      );
      placements.push({ model, guests, candidate, heldOnAverage });
    } else {
      leaveOut(
        server,
        [
          poolsFull(
            host,
            candidates.map((c) => ({ ...c, replicas: mostScheduled(asPlanned(host, c)) })),
            refusals,
            request.pools,
            assignment.pools,
          ),
        ],
        candidates[0],
      );
    }
  }
  return { placements, assignment, phases, unplaced, problems };
}

/** Problems that no pool can fix. */
function impossibilities(model: ModelRequest): CapacityProblem[] {
  const refusals = [contextProblem(model), weightFormatProblem(model), cacheProblem(model)];
  return [...refusals.filter((p) => p !== undefined), ...sourceNameProblems(model)];
}

/** The named pools, else those dedicated to it, else all others of a fitting role. */
function allowedPools(model: ModelRequest, pools: readonly PoolRequest[]): PoolRequest[] {
  const own = pools.filter((p) => p.dedicatedTo.includes(model.name));
  const open = [...own, ...pools.filter((p) => p.dedicatedTo.length === 0)];
  if (model.pools) {
    const named = model.pools;
    return open.filter((p) => named.includes(p.name));
  }
  if (own.length > 0) {
    return own;
  }
  const gpu = open.filter((p) => p.role === "gpu");
  return gpu.length > 0 || modelImageName(model, "cpu") === undefined ? gpu : open.filter((p) => p.role === "cpu");
}

/** A pool where allowed replicas answer the peak wins over others, however cheap. */
function keepingLevel(
  model: ModelRequest,
  { candidates, refusals }: { readonly candidates: Candidate[]; readonly refusals: Refusal[] },
) {
  const short = candidates.filter(({ sizing }) => isShort(model, sizing));
  if (short.length === 0 || short.length === candidates.length) {
    return { candidates, refusals };
  }
  const tooFew = short.map(({ pool, sizing }): Refusal => {
    const reason = `the peak of its traffic takes ${sizing?.needed} replicas there, and replicas.max is ${model.maxReplicas}`;
    return { pool, reason };
  });
  return { candidates: candidates.filter((each) => !short.includes(each)), refusals: [...refusals, ...tooFew] };
}

function withAvailability(
  server: ServerModels,
  candidate: Candidate,
  pools: readonly PoolRequest[],
  nodeOf: (pool: PoolRequest) => Capacity,
): Candidate {
  const pool = pools.find(({ name }) => name === candidate.pool);
  const availability = pool && availabilityOn(server, candidate, pool, nodeOf(pool), asPlanned(server.host, candidate));
  return availability ? { ...candidate, availability } : candidate;
}

/** With values derived from its traffic for a candidate's layout. */
function asPlanned(model: ModelRequest, { sizing, concurrency, maxNumSeqs }: Candidate): ModelRequest {
  const sized = withReplicas(model, sizing);
  return sized.concurrency === concurrency && maxNumSeqs === undefined
    ? sized
    : { ...sized, concurrency, ...(maxNumSeqs !== undefined && { maxNumSeqs }) };
}

function replicasIn(phases: readonly Phase[], index: number): number[] {
  return phases.map(({ replicas }) => replicas[index] ?? 0);
}

function assignable(model: ModelRequest, candidates: readonly Candidate[], scheduled: readonly number[]): Assignable {
  const companion = companionItem(model.engine);
  return {
    name: model.name,
    options: candidates.map((c) => {
      const planned = asPlanned(model, c);
      const held = heldReplicas(planned);
      return {
        pool: c.pool,
        item: packingItem(c, held),
        ...(scheduleOf(planned).length > 0 && { counts: scheduled.map((count) => heldWhile(planned, count)) }),
        ...(held === 0 && { wakes: packingItem(c, 1) }),
        ...(companion && { companion }),
      };
    }),
  };
}
