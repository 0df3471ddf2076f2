import { hourlyUsd, type MachineShape, shapesOf } from "../catalog/shapes";
import { fitOnPool, type Refusal } from "./candidates";
import type { Capacity } from "./packing";
import { allocatable } from "./pod-resources";
import type { ModelRequest, PoolRequest } from "./request";
import { ruleFor } from "./sizing";
import type { CapacityProblem } from "./types";

/** More nodes than this per replica is no deployment anyone runs: the search for a remedy stops there. */
const MOST_NODES = 16;

/**
 * Why a model fits none of its pools: each pool's nearest miss, and what would fix it.
 *
 * @param reserve what the platform keeps of every node.
 */
export function explainRefusal(
  model: ModelRequest,
  pools: readonly PoolRequest[],
  refusals: readonly Refusal[],
  reserve: Capacity,
): CapacityProblem {
  const nearest = [...refusals].sort((a, b) => missing(a) - missing(b));
  const lines = nearest.map(({ pool, reason }) => `pool "${pool}": ${reason}`);
  const tried = lines.length > 0 ? lines.join("; ") : "no pool of this environment may run it";
  return {
    severity: "mandatory",
    rule: "model-fits",
    subject: `models.${model.name}`,
    message: `${model.name} with ${model.concurrency} × ${model.contextTokens} tokens fits no allowed pool. ${capitalized(tried)}.${ruleBeside(model, pools, nearest)} To fix it: ${remedies(model, pools, nearest, reserve).join(", or ")}.`,
  };
}

/** The five-step rule's answer beside the planner's refusal: readers come with that number in mind. */
function ruleBeside(model: ModelRequest, pools: readonly PoolRequest[], nearest: readonly Refusal[]): string {
  const [first] = nearest;
  // The rule is about memory: it says nothing of cards and numbers that do not fit for another reason.
  const shape = first?.layout && pools.find((p) => p.name === first.pool)?.shape;
  const rule = shape && ruleFor(model, shape);
  return rule
    ? ` (The five-step rule would say ${rule.nodes} node(s) of ${shape.name} for ${rule.memoryGB.toFixed(0)} GB: it counts weights plus 20 %, not this load.)`
    : "";
}

function remedies(
  model: ModelRequest,
  pools: readonly PoolRequest[],
  nearest: readonly Refusal[],
  reserve: Capacity,
): string[] {
  if (pools.length === 0) {
    return [
      model.engine === "ollama"
        ? "add a pool with GPUs, or one with role: cpu, that is open to it"
        : "add a pool with GPUs that is open to it, or write engine: ollama and add a pool with role: cpu",
    ];
  }
  const result = [...new Set(nearest.flatMap(({ remedy }) => remedy ?? []))];
  for (const refusal of nearest) {
    const pool = pools.find((p) => p.name === refusal.pool);
    const nodes = pool && nodesThatServe(model, pool, reserve);
    if (pool && nodes !== undefined && nodes > pool.maxNodes) {
      result.push(`raise pools.${pool.name}.maxNodes from ${pool.maxNodes} to ${nodes}`);
      break;
    }
  }
  const first = pools.find((p) => p.name === nearest[0]?.pool);
  const concurrency = first && concurrencyThatFits(model, first, reserve);
  if (first && concurrency !== undefined) {
    result.push(
      `lower models.${model.name}.concurrency from ${model.concurrency} to ${concurrency} (on pool "${first.name}") or contextTokens accordingly`,
    );
  }
  const shape = first && cheapestShapeThatFits(model, first, reserve);
  if (shape) {
    result.push(`allow a pool of ${shape.name} (${shape.gpu?.count} × ${shape.gpu?.model})`);
  }
  return result.length > 0 ? result : ["choose a smaller or quantized model, or a pool with more GPU memory"];
}

/** Nodes for all replicas of the model, where one replica may take more of them than the pool has now. */
function nodesThatServe(model: ModelRequest, pool: PoolRequest, reserve: Capacity): number | undefined {
  const node = allocatable(pool.shape, reserve);
  const fit = fitOnPool(model, pool, node, MOST_NODES);
  return "candidate" in fit ? fit.candidate.layout.nodesPerReplica * model.maxReplicas : undefined;
}

/** Largest concurrency that fits, by bisection: memory only grows with concurrency. */
function concurrencyThatFits(model: ModelRequest, pool: PoolRequest, reserve: Capacity): number | undefined {
  const node = allocatable(pool.shape, reserve);
  const fitsAt = (concurrency: number) => "candidate" in fitOnPool({ ...model, concurrency }, pool, node);
  if (model.concurrency <= 1 || !fitsAt(1)) {
    return undefined;
  }
  let low = 1;
  let high = model.concurrency;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fitsAt(middle)) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

function cheapestShapeThatFits(model: ModelRequest, pool: PoolRequest, reserve: Capacity): MachineShape | undefined {
  const priced = shapesOf(pool.shape.provider).flatMap((shape) => {
    const price = shape.gpu && shape.price && "usdPerHour" in shape.price ? hourlyUsd(shape) : undefined;
    return price === undefined ? [] : [{ shape, price }];
  });
  return priced
    .sort((a, b) => a.price - b.price)
    .map(({ shape }) => shape)
    .find((shape) => "candidate" in fitOnPool(model, { ...pool, shape }, allocatable(shape, reserve), 1));
}

function missing(refusal: Refusal): number {
  return refusal.missingPerGpuGiB === undefined || !refusal.layout
    ? Number.POSITIVE_INFINITY
    : refusal.missingPerGpuGiB * Math.max(1, refusal.layout.gpusPerNode) * refusal.layout.nodesPerReplica;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
