import { type Assignable, type Assignment, cheapestAssignment } from "./assignment";
import { type Candidate, fitOnPool, type Refusal } from "./candidates";
import { type BilledPool, costOf } from "./cost";
import { unknownCards } from "./hardware/unknown-cards";
import type { Capacity } from "./packing";
import { type Placement, packingItem } from "./placement";
import { planModel } from "./plan-model";
import { allocatable, PLATFORM_RESERVE } from "./pod-resources";
import { contextProblem, hostMemoryAdvice, maximumProblems, overBudget, poolsFull } from "./problems";
import { explainRefusal } from "./refusal";
import type { ModelRequest, PlanRequest, PoolRequest } from "./request";
import { overlappingPools } from "./selectors";
import { goesThroughStore, MINIMUM_STORE_GIB } from "./storage";
import type { CapacityProblem, DeploymentPlan, ModelPlan, PoolPlan, StoragePlan, Taint } from "./types";
import { weightFormatProblem } from "./weight-format";

const NOTHING: Capacity = { gpus: 0, cpu: 0, memoryGiB: 0 };

/**
 * Decides everything that an environment's resources need: where each model runs, on how many GPUs of
 * how many nodes, what it costs, and every reason why it must not be deployed. Pure: the same request
 * gives the same plan, whatever the order of its models.
 */
export function planDeployment(request: PlanRequest): DeploymentPlan {
  const reserve = request.pools.some((p) => p.role === "system") ? NOTHING : PLATFORM_RESERVE;
  const nodes = new Map(request.pools.map((p) => [p.name, allocatable(p.shape, reserve)]));
  const fits = new FitCache(nodes);

  const problems: CapacityProblem[] = [];
  const placeable = new Map<string, Candidate[]>();
  const unfit = new Map<string, Refusal[]>();
  for (const model of request.models) {
    const impossible = [contextProblem(model), weightFormatProblem(model)].filter((problem) => problem !== undefined);
    if (impossible.length > 0) {
      problems.push(...impossible);
      continue;
    }
    const pools = allowedPools(model, request.pools);
    const { candidates, refusals } = fits.onPools(model, pools);
    if (candidates.length > 0) {
      placeable.set(model.name, candidates);
      unfit.set(model.name, refusals);
    } else {
      problems.push(explainRefusal(model, pools, refusals, reserve));
    }
  }

  const models = request.models.filter((m) => placeable.has(m.name));
  const assignment = cheapestAssignment(
    models.map((m) => assignable(m, placeable.get(m.name) ?? [])),
    request.pools.map((p) => ({
      name: p.name,
      node: nodes.get(p.name) ?? NOTHING,
      minNodes: p.minNodes,
      maxNodes: p.maxNodes,
      price: p.usdPerNodeHour * p.hoursPerDay,
    })),
  );
  const placements: Placement[] = [];
  for (const model of models) {
    const candidates = placeable.get(model.name) ?? [];
    const candidate = candidates.find((c) => c.pool === assignment.pools.get(model.name));
    if (candidate) {
      placements.push({ model, candidate });
    } else {
      problems.push(poolsFull(model, candidates, unfit.get(model.name) ?? [], request.pools));
    }
  }

  const pools = planPools(request, placements, assignment);
  problems.push(
    ...overlappingPools(request.pools),
    ...maximumProblems(request.pools, placements, assignment),
    ...hostMemoryAdvice(request.pools, placements),
    ...unknownCards(request.pools, placements),
  );
  const cost = costOf(
    pools.map(({ billed }) => billed),
    request.monthlyBudgetUsd,
  );
  if (request.monthlyBudgetUsd !== undefined && cost.monthlyUsd > request.monthlyBudgetUsd) {
    problems.push(overBudget(cost.monthlyUsd, request.monthlyBudgetUsd));
  }
  const poolPlans = pools.map(({ plan }, i) => ({ ...plan, monthlyUsd: cost.items[i]?.monthlyUsd ?? 0 }));
  const modelPlans = placements.map((p) =>
    planModel(p.model, p.candidate, poolOf(poolPlans, p.candidate.pool), request.storage),
  );
  return {
    environment: request.environment,
    stage: request.stage,
    pools: poolPlans,
    models: modelPlans,
    storage: planStorage(request, modelPlans),
    cost,
    problems,
  };
}

/** Many models ask the same question of a pool: answer it once. */
class FitCache {
  private readonly answers = new Map<string, ReturnType<typeof fitOnPool>>();
  private readonly architectures = new Map<ModelRequest["architecture"], number>();

  constructor(private readonly nodes: ReadonlyMap<string, Capacity>) {}

  onPools(model: ModelRequest, pools: readonly PoolRequest[]): { candidates: Candidate[]; refusals: Refusal[] } {
    const candidates: Candidate[] = [];
    const refusals: Refusal[] = [];
    for (const pool of pools) {
      const fit = this.fit(model, pool);
      if ("candidate" in fit) {
        candidates.push(fit.candidate);
      } else {
        refusals.push(fit.refusal);
      }
    }
    return { candidates, refusals };
  }

  private fit(model: ModelRequest, pool: PoolRequest): ReturnType<typeof fitOnPool> {
    const {
      architecture,
      name: _name,
      servedName: _servedName,
      source: _source,
      chatTemplate: _chatTemplate,
      ...question
    } = model;
    const id = this.architectures.get(architecture) ?? this.architectures.size;
    this.architectures.set(architecture, id);
    const key = `${pool.name} ${id} ${JSON.stringify(question)}`;
    let answer = this.answers.get(key);
    if (!answer) {
      answer = fitOnPool(model, pool, this.nodes.get(pool.name) ?? NOTHING);
      this.answers.set(key, answer);
    }
    return answer;
  }
}

/** Pools that may run a model: those it names, else those dedicated to it, else all others of a fitting role. */
export function allowedPools(model: ModelRequest, pools: readonly PoolRequest[]): PoolRequest[] {
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
  return gpu.length > 0 || model.engine === "vllm" ? gpu : open.filter((p) => p.role === "cpu");
}

function assignable(model: ModelRequest, candidates: readonly Candidate[]): Assignable {
  return {
    name: model.name,
    options: candidates.map((c) => ({ pool: c.pool, item: packingItem(c, model.minReplicas) })),
  };
}

function planPools(
  request: PlanRequest,
  placements: readonly Placement[],
  { packings }: Assignment,
): { plan: Omit<PoolPlan, "monthlyUsd">; billed: BilledPool }[] {
  return request.pools.map((pool) => {
    const here = placements.filter((p) => p.candidate.pool === pool.name);
    const minNodes = Math.max(pool.minNodes, packings.get(pool.name)?.nodes ?? 0);
    const gpusPerNode = pool.shape.gpu?.count ?? 0;
    const billed = {
      name: pool.name,
      shape: pool.shape,
      nodes: minNodes,
      usdPerNodeHour: pool.usdPerNodeHour,
      hoursPerDay: pool.hoursPerDay,
    };
    return {
      billed,
      plan: {
        name: pool.name,
        role: pool.role,
        shape: pool.shape,
        minNodes,
        maxNodes: pool.maxNodes,
        usdPerNodeHour: pool.usdPerNodeHour,
        hourlyUsd: minNodes * pool.usdPerNodeHour,
        labels: pool.labels,
        taints: taintsOf(pool),
        gpusClaimed: here.reduce(
          (sum, { model, candidate: { layout } }) =>
            sum + model.minReplicas * layout.gpusPerNode * layout.nodesPerReplica,
          0,
        ),
        gpusTotal: minNodes * gpusPerNode,
      },
    };
  });
}

/** GPU nodes keep other pods away: the vendor's customary taint, and ours for pools reserved to inference. */
function taintsOf(pool: PoolRequest): Taint[] {
  const gpu = pool.shape.gpu;
  if (!gpu) {
    return [];
  }
  return [
    { key: gpu.resource, effect: "NoSchedule" },
    { key: "dedicated", value: "inference", effect: "NoSchedule" },
  ];
}

function planStorage({ storage }: PlanRequest, models: readonly ModelPlan[]): StoragePlan {
  const stored = models.filter((m) => goesThroughStore(m.source));
  const needed = stored.reduce((sum, m) => sum + m.modelStorageGiB, 0);
  return {
    models: stored.map((m) => m.name),
    bucket: storage.bucket,
    sizeGiB: Math.max(storage.sizeGiB ?? MINIMUM_STORE_GIB, needed),
  };
}

function poolOf(pools: readonly PoolPlan[], name: string): PoolPlan {
  const pool = pools.find((p) => p.name === name);
  if (!pool) {
    throw new Error(`no pool "${name}" in the plan`);
  }
  return pool;
}
