/** Cost of a model's traffic within its level on a dedicated pool of each machine. */
import { hourlyUsd, type MachineShape } from "../catalog/shapes";
import type { Refusal } from "./candidates/types";
import { FitCache } from "./fit-cache";
import { fitOnMachine } from "./fitting";
import { planConfirmed, planDeployment } from "./plan";
import { nearestFirst } from "./refusal";
import type { ModelRequest, PlanRequest, PoolRequest } from "./request";
import type { ModelPlan } from "./types";

export interface MachineAnswer {
  readonly shape: MachineShape;
  readonly plan: ModelPlan;
  readonly nodes: number;
  /** Whole nodes; 0 for own machines. */
  readonly monthlyUsd: number;
}

export interface MachineRefusal {
  readonly shape: MachineShape;
  readonly kind: "memory" | "level" | "too-many" | "unknown-speed" | "unread";
  readonly reason: string;
  /** Where a replica does not fit or is too slow. */
  readonly refusal?: Refusal;
}

export interface MachineComparison {
  /** Cheapest first; ties by fewer GPUs. */
  readonly able: readonly MachineAnswer[];
  /** Nearest first: too slow before too small. */
  readonly refused: readonly MachineRefusal[];
}

/** Limit for one replica and for all replicas. */
const NODES_OF_A_REPLICA = 8;
const MOST_NODES = 64;

/**
 * @param model with traffic. Name and source only appear in texts.
 * @param confirmed number of cheapest answers to simulate, some tenths of a second each; the others
 * rest on the closed form (`plan.speed.simulated`).
 */
export function compareMachines(
  model: ModelRequest,
  machines: readonly MachineShape[],
  confirmed: number,
): MachineComparison {
  const fits = new FitCache();
  const first = machines.map((shape) => answerOn(model, shape, fits, false));
  const refused = first.flatMap((answer) => ("reason" in answer ? [answer] : []));
  let able = first.flatMap((answer) => ("plan" in answer ? [answer] : [])).sort(cheaperFirst);
  // Simulation only makes machines dearer, so the front of the list settles.
  for (;;) {
    const next = able.slice(0, confirmed).find(({ plan }) => plan.speed?.simulated === false && !isPipeline(plan));
    if (next === undefined) {
      return { able, refused: nearestRefusals(refused) };
    }
    const answer = answerOn(model, next.shape, fits, true);
    able = able.filter((each) => each !== next);
    if ("plan" in answer) {
      able = [...able, answer].sort(cheaperFirst);
    } else {
      refused.push(answer);
    }
  }
}

/** Pipelines are not simulated. */
function isPipeline({ pipelineParallel }: ModelPlan): boolean {
  return pipelineParallel > 1;
}

function answerOn(
  model: ModelRequest,
  shape: MachineShape,
  fits: FitCache,
  simulates: boolean,
): MachineAnswer | MachineRefusal {
  const fit = fitOnMachine(model, shape, NODES_OF_A_REPLICA);
  if ("refusal" in fit) {
    const { refusal } = fit;
    const kind = refusal.isUnread ? "unread" : refusal.rule === undefined ? "memory" : "level";
    return { shape, kind, reason: refusal.reason, refusal };
  }
  const asked = requestOn(model, shape);
  const planned = simulates ? planConfirmed(asked, fits, { simulates }) : planDeployment(asked, fits);
  const { models, pools, problems, cost } = planned;
  const [plan] = models;
  const [problem] = problems.filter(({ severity }) => severity === "mandatory");
  if (plan === undefined || problem !== undefined) {
    const kind = plan === undefined && problem?.rule === "model-fits" ? "memory" : "too-many";
    return { shape, kind, reason: problem?.message ?? `${shape.name} holds no replica` };
  }
  if (plan.speed === undefined) {
    return { shape, kind: "unknown-speed", reason: `speed not predicted: ${plan.noSpeed}` };
  }
  return { shape, plan, nodes: pools[0]?.minNodes ?? 0, monthlyUsd: cost.monthlyUsd };
}

/** Undecided fits come before too slow, then too small. */
function nearestRefusals(refused: readonly MachineRefusal[]): MachineRefusal[] {
  const others = refused.filter(({ refusal, kind }) => refusal === undefined && kind !== "memory");
  const small = refused.filter(({ refusal, kind }) => refusal === undefined && kind === "memory");
  const misses = nearestFirst(refused.flatMap(({ refusal }) => refusal ?? []));
  return [...others, ...misses.flatMap((miss) => refused.find(({ refusal }) => refusal === miss) ?? []), ...small];
}

function cheaperFirst(a: MachineAnswer, b: MachineAnswer): number {
  return a.monthlyUsd - b.monthlyUsd || gpusOf(a) - gpusOf(b);
}

function gpusOf({ shape, nodes }: MachineAnswer): number {
  return nodes * (shape.gpu?.count ?? 0);
}

/** Most regions have three, for replicas with a promised availability. */
const ZONES_OF_REGIONS = 3;

function requestOn(model: ModelRequest, shape: MachineShape): PlanRequest {
  const pool: PoolRequest = {
    name: shape.name,
    role: "gpu",
    shape,
    minNodes: 0,
    maxNodes: MOST_NODES,
    usdPerNodeHour: hourlyUsd(shape) ?? 0,
    hoursPerDay: 24,
    dedicatedTo: [],
    selector: {},
    labels: {},
    zones: shape.provider === "onprem" ? 1 : ZONES_OF_REGIONS,
  };
  return {
    environment: "comparison",
    stage: "development",
    pools: [pool],
    models: [model],
    // These do not affect the comparison.
    storage: { bucket: "models", registryGbps: 1, storeGbps: 10 },
    drainSeconds: 60,
  };
}
