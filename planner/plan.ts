import { type Assignable, type Assignment, cheapestAssignment } from "./assignment";
import { type Candidate, fitOnPool, type Refusal } from "./candidates";
import { type BilledPool, costOf } from "./cost";
import type { Capacity, PackingItem } from "./packing";
import { planModel } from "./plan-model";
import { allocatable, PLATFORM_RESERVE } from "./pod-resources";
import { explainRefusal } from "./refusal";
import type { ModelRequest, PlanRequest, PoolRequest } from "./request";
import { goesThroughStore, MINIMUM_STORE_GIB } from "./storage";
import type { CapacityProblem, DeploymentPlan, ModelPlan, PoolPlan, StoragePlan, Taint } from "./types";

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
  for (const model of request.models) {
    const tooLong = contextProblem(model);
    if (tooLong) {
      problems.push(tooLong);
      continue;
    }
    const pools = allowedPools(model, request.pools);
    const { candidates, refusals } = fits.onPools(model, pools);
    if (candidates.length > 0) {
      placeable.set(model.name, candidates);
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
      problems.push(poolsFull(model, candidates, request.pools));
    }
  }

  const pools = planPools(request, placements, assignment);
  problems.push(
    ...maximumProblems(request.pools, placements, assignment),
    ...hostMemoryAdvice(request.pools, placements),
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

export interface Placement {
  readonly model: ModelRequest;
  readonly candidate: Candidate;
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
    const { architecture, name: _name, servedName: _servedName, source: _source, ...question } = model;
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

function packingItem({ resources, layout }: Candidate, count: number): PackingItem {
  const { gpus, cpu, memoryGiB } = resources;
  return { demand: { gpus, cpu, memoryGiB }, count, nodesPerReplica: layout.nodesPerReplica };
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

function contextProblem(model: ModelRequest): CapacityProblem | undefined {
  const most = model.architecture.maxContextTokens;
  if (model.contextTokens <= most) {
    return undefined;
  }
  return {
    severity: "mandatory",
    rule: "context-length",
    subject: `models.${model.name}`,
    message: `${model.name} asks for ${model.contextTokens} tokens of context; its config.json allows ${most}. Set contextTokens to ${most} or less.`,
  };
}

function poolsFull(
  model: ModelRequest,
  candidates: readonly Candidate[],
  pools: readonly PoolRequest[],
): CapacityProblem {
  const tried = candidates.map(({ pool, layout }) => {
    const most = pools.find((p) => p.name === pool)?.maxNodes ?? 0;
    const gpus = layout.gpusPerNode * layout.nodesPerReplica;
    return `pool "${pool}" (maxNodes ${most}; a replica takes ${gpus} GPU(s) on ${layout.nodesPerReplica} node(s))`;
  });
  return {
    severity: "mandatory",
    rule: "pool-capacity",
    subject: `models.${model.name}`,
    message: `${model.name} with ${model.minReplicas} replica(s) finds no room beside the other models: ${tried.join(", ")}. Raise maxNodes, lower replicas.min, or allow another pool.`,
  };
}

/** A pool must hold each model at its maximum while the others are at their minimum, else scaling out only queues pods. */
function maximumProblems(
  pools: readonly PoolRequest[],
  placements: readonly Placement[],
  { packings }: Assignment,
): CapacityProblem[] {
  return pools.flatMap((pool) => {
    const here = placements.filter((p) => p.candidate.pool === pool.name);
    return here.flatMap(({ model, candidate }): CapacityProblem[] => {
      const atMaximum = packings.get(pool.name)?.with(packingItem(candidate, model.maxReplicas - model.minReplicas));
      if (!atMaximum || atMaximum.nodes <= pool.maxNodes) {
        return [];
      }
      return [
        {
          severity: "mandatory",
          rule: "pool-capacity",
          subject: `models.${model.name}`,
          message: `${model.name} can never reach replicas.max ${model.maxReplicas}: with the other models at their minimum it needs ${atMaximum.nodes} nodes of pool "${pool.name}", maxNodes is ${pool.maxNodes}. Raise maxNodes to ${atMaximum.nodes} or lower replicas.max.`,
        },
      ];
    });
  });
}

/** Source rule: host RAM of at least twice the GPU memory, for the model cache and batch buffers. */
function hostMemoryAdvice(pools: readonly PoolRequest[], placements: readonly Placement[]): CapacityProblem[] {
  return pools.flatMap((pool): CapacityProblem[] => {
    const gpu = pool.shape.gpu;
    const used = placements.some((p) => p.candidate.pool === pool.name);
    const wanted = gpu ? 2 * gpu.count * gpu.memoryGiB : 0;
    if (!gpu || !used || pool.shape.memoryGiB >= wanted) {
      return [];
    }
    return [
      {
        severity: "advisory",
        rule: "host-memory",
        subject: `pools.${pool.name}`,
        message: `${pool.shape.name} has ${pool.shape.memoryGiB} GiB of host memory for ${(wanted / 2).toFixed(0)} GiB of GPU memory; twice the GPU memory (${wanted.toFixed(0)} GiB) keeps a whole model in the page cache. Cold starts read from disk.`,
      },
    ];
  });
}

function overBudget(monthly: number, budget: number): CapacityProblem {
  return {
    severity: "mandatory",
    rule: "monthly-budget",
    subject: "budget.monthlyUsd",
    message: `the plan costs ${monthly.toFixed(2)} USD a month, ${(monthly - budget).toFixed(2)} over the budget of ${budget.toFixed(2)}. Lower minNodes, replicas or hoursPerDay, choose a cheaper shape, or raise the budget.`,
  };
}

function poolOf(pools: readonly PoolPlan[], name: string): PoolPlan {
  const pool = pools.find((p) => p.name === name);
  if (!pool) {
    throw new Error(`no pool "${name}" in the plan`);
  }
  return pool;
}
