import { modelImageName } from "../engines";
import { type Assignable, cheapestAssignment } from "./assignment";
import { availabilityOn, availabilityProblems, keepingPromise, mostZonesFirst } from "./availability/placed-level";
import type { Candidate, Refusal } from "./candidates/types";
import { type BilledPlan, cloudServices } from "./cloud-services";
import { costOf } from "./cost";
import { FitCache } from "./fit-cache";
import { trafficProblems } from "./level/problems";
import { isShort, withReplicas } from "./level/sizing";
import { modelCost } from "./model-cost";
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
import { numaProblems, planPools } from "./plan-pools";
import { planServer } from "./plan-server";
import { allocatable } from "./pod-resources";
import { cacheProblem, contextProblem, maximumProblems, overBudget, poolsFull } from "./problems";
import { explainRefusal, nearestMiss } from "./refusal";
import type { ModelRequest, PlanRequest, PoolRequest } from "./request";
import { placeOfReplicas } from "./scaling-place";
import { scalingProblems } from "./scaling-problems";
import { type Phase, phasesOf, shareOfYear } from "./schedule/phases";
import { overlappingPools } from "./selectors";
import { type ServerModels, serverProblem, serversOf } from "./shared-servers";
import { sourceNameProblems } from "./source-name";
import { isCached, planStorage, storeProblem } from "./storage";
import type {
  CapacityProblem,
  CostPlan,
  DeploymentPlan,
  ExternalModelPlan,
  ModelPlan,
  PoolPlan,
  StoragePlan,
  UnplacedModel,
} from "./types";
import { missOf, type ServerMiss, unplacedModel } from "./unplaced";
import { weightFormatProblem } from "./weight-format";

const NOTHING: Capacity = { gpus: 0, cpu: 0, memoryGiB: 0 };

export interface PlanOptions {
  /** Simulates each model's traffic: some hundredths of a second. @default closed form only */
  readonly simulates?: boolean;
  readonly onPlaced?: (placements: readonly Placement[]) => void;
}

/**
 * Decides everything that resources need: pools, GPUs and nodes of each model, cost, and all
 * reasons against the deployment. Pure: the same request gives the same plan, in any order of
 * models.
 *
 * @param fits answers of earlier plans for nearly the same request.
 */
export function planDeployment(
  request: PlanRequest,
  fits = new FitCache(),
  { simulates = false, onPlaced }: PlanOptions = {},
): DeploymentPlan {
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
          ),
        ],
        candidates[0],
      );
    }
  }

  onPlaced?.(placements);
  const pools = planPools(request, placements, assignment, phases);
  problems.push(...overlappingPools(request.pools), ...maximumProblems(request.pools, placements, assignment));
  problems.push(...numaProblems(request, placements), ...placements.flatMap(trafficProblems));
  problems.push(...placements.flatMap(({ model, candidate }) => availabilityProblems(model, candidate, request.pools)));
  const { externalModels = [] } = request;
  const billed = pools.map((pool) => pool.billed);
  const machines = costOf(billed, request.monthlyBudgetUsd);
  const poolPlans = pools.map(({ plan }, i): PoolPlan => {
    const { monthlyUsd = 0, maxMonthlyUsd = 0 } = machines.items[i] ?? {};
    return { ...plan, monthlyUsd, maxMonthlyUsd };
  });
  const planned = placements.flatMap((placement) => {
    const pool = poolOf(poolPlans, placement.candidate.pool);
    const packing = assignment.packings.get(pool.name);
    const here = placements.filter(({ candidate }) => candidate.pool === pool.name);
    return planServer(
      placement,
      pool,
      modelCost(placement, pool, here),
      { ...request, simulates },
      placeOfReplicas(placement, pool, packing, placements, request),
    );
  });
  const modelPlans = request.models.flatMap(({ name }) => planned.find((m) => m.name === name) ?? []);
  const storage = planStorage(request, modelPlans);
  const services =
    request.billing && cloudServices(request.billing, billedPlan(request, poolPlans, modelPlans, storage));
  const priced = services ? costOf(billed, request.monthlyBudgetUsd, services) : machines;
  const cost = externalModels.length === 0 ? priced : withoutPriceOf(externalModels, priced);
  if (request.monthlyBudgetUsd !== undefined && cost.monthlyUsd > request.monthlyBudgetUsd) {
    problems.push(overBudget(cost.monthlyUsd, request.monthlyBudgetUsd));
  }
  problems.push(...placements.flatMap((placement) => scalingProblems(placement, request.pools, modelPlans)));
  const store = storeProblem(request, modelPlans);
  return {
    environment: request.environment,
    stage: request.stage,
    pools: poolPlans,
    models: modelPlans,
    unplaced,
    externalModels,
    groups: request.groups ?? [],
    ...(request.mesh && { mesh: request.mesh }),
    tenants: request.tenants ?? [],
    ...(request.tokenIssuer && { tokenIssuer: request.tokenIssuer }),
    ...(request.receiverAuthorities && { receiverAuthorities: request.receiverAuthorities }),
    ...(request.sourceAuthorities && { sourceAuthorities: request.sourceAuthorities }),
    storage,
    cost,
    problems: store ? [...problems, store] : problems,
  };
}

function billedPlan(
  { pools: requests }: PlanRequest,
  pools: readonly PoolPlan[],
  models: readonly ModelPlan[],
  { sizeGiB }: StoragePlan,
): BilledPlan {
  const disks = requests.flatMap(({ name, bootVolumeGiB }) =>
    bootVolumeGiB === undefined ? [] : [[name, bootVolumeGiB] as const],
  );
  return { pools, models, storeGiB: sizeGiB, bootVolumeGiB: new Map(disks) };
}

/** External models are billed elsewhere: this bill must not look complete. */
function withoutPriceOf(externalModels: readonly ExternalModelPlan[], cost: CostPlan): CostPlan {
  const names = externalModels.map(({ name }) => name).join(", ");
  return { ...cost, notPriced: [...cost.notPriced, `external models (${names})`] };
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

function poolOf(pools: readonly PoolPlan[], name: string): PoolPlan {
  const pool = pools.find((p) => p.name === name);
  if (!pool) {
    throw new Error(`no pool "${name}" in the plan`);
  }
  return pool;
}
