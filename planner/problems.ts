import { contextLimit } from "../engines/estimate";
import { MONTHLY_BUDGET } from "../names/rules";
import type { Assignment } from "./assignment";
import { placesText } from "./availability/text";
import type { Candidate, Refusal } from "./candidates/types";
import { peakText } from "./level/problems";
import type { ModelArchitecture } from "./model/architecture";
import { heldReplicas, type Placement, packingItem } from "./placement";
import type { ModelRequest, PoolRequest } from "./request";
import type { CapacityProblem } from "./types";

export function contextProblem(model: ModelRequest): CapacityProblem | undefined {
  const most = contextLimit(model.architecture, { name: model.engine, version: model.engineVersion });
  if (model.contextTokens <= most) {
    return undefined;
  }
  return {
    severity: "mandatory",
    rule: "context-length",
    subject: `models.${model.name}`,
    message: `${model.name} asks for ${model.contextTokens} tokens of context; its config.json allows ${most}. Write models.${model.name}.contextTokens: ${most}, or less.`,
  };
}

/** The cache size is unknown, so any plan could be too small. */
export function cacheProblem({ name, architecture }: ModelRequest): CapacityProblem | undefined {
  if (architecture.cacheDoubt === undefined) {
    return undefined;
  }
  return {
    severity: "mandatory",
    rule: "unknown-cache",
    subject: `models.${name}`,
    message: `${name}: ${unknownCache(architecture)}, so that no memory can be planned for its requests. To fix it: add a reader for ${architecture.family} in planner/model/families, or serve a model of a family that is known.`,
  };
}

export function unknownCache({ family, cacheDoubt, checkpoint }: ModelArchitecture): string {
  const weights = checkpoint?.from === "index" ? "the size of all weights is exact" : "the weights are exact";
  return `${weights}, the cache of model type ${family} is not known: ${cacheDoubt}`;
}

/**
 * Every pool fits the model, but none has room left.
 * @param placed pools of the placed models
 */
export function poolsFull(
  model: ModelRequest,
  candidates: readonly (Candidate & { readonly replicas: number })[],
  refusals: readonly Refusal[],
  pools: readonly PoolRequest[],
  placed: ReadonlyMap<string, string>,
): CapacityProblem {
  const tried = candidates.map(({ pool, layout, availability }) => {
    const most = pools.find((p) => p.name === pool)?.maxNodes ?? 0;
    const gpus = layout.gpusPerNode * layout.nodesPerReplica;
    const isApart = availability !== undefined && availability.apart.nodes > 1;
    const nodes = isApart
      ? `; availability ${availability.promised} takes replicas ${placesText(availability.apart)}`
      : "";
    const others = [...placed].flatMap(([other, where]) => (where === pool ? [other] : []));
    const usedBy = others.length > 0 ? `, used by ${others.join(", ")}` : "";
    return `pool "${pool}" (maxNodes ${most}${usedBy}; a replica takes ${gpus} GPU(s) on ${layout.nodesPerReplica} node(s)${nodes})`;
  });
  const replicas = [...new Set(candidates.map((candidate) => candidate.replicas))].join(" or ");
  const asked = [...new Set(candidates.flatMap((candidate) => peakText(model, candidate) ?? []))].join("; ");
  const unfit = refusals.map(({ pool, reason }) => ` Pool "${pool}" does not fit it: ${reason}.`).join("");
  return {
    severity: "mandatory",
    rule: "pool-capacity",
    subject: `models.${model.name}`,
    message: `${model.name} with ${replicas} replica(s) ${asked === "" ? "" : `(${asked}) `}does not fit next to the other models: ${tried.join(", ")}.${unfit}`,
  };
}

/**
 * A pool must hold each model at its maximum while others are at their minimum with spares: else
 * scale-out only queues pods.
 */
export function maximumProblems(
  pools: readonly PoolRequest[],
  placements: readonly Placement[],
  { packings }: Assignment,
): CapacityProblem[] {
  return pools.flatMap((pool) => {
    const here = placements.filter((p) => p.candidate.pool === pool.name);
    return here.flatMap(({ model, candidate }): CapacityProblem[] => {
      const more = Math.max(0, model.maxReplicas - heldReplicas(model));
      const item = packingItem(candidate, more);
      const now = packings.get(pool.name);
      // Spread replicas share a node only if every other node has one.
      const isAlone = item.apart === undefined || here.length === 1;
      const nodes = isAlone ? now?.with(item).nodes : now && now.nodes + more;
      if (nodes === undefined || nodes <= pool.maxNodes) {
        return [];
      }
      return [
        {
          severity: "mandatory",
          rule: "pool-capacity",
          subject: `models.${model.name}`,
          message: `${model.name} cannot reach replicas.max ${model.maxReplicas}: it needs ${nodes} nodes of pool "${pool.name}", and maxNodes is ${pool.maxNodes}. Raise maxNodes to ${nodes} or lower replicas.max.`,
        },
      ];
    });
  });
}

export function overBudget(monthly: number, budget: number): CapacityProblem {
  return {
    severity: "mandatory",
    rule: MONTHLY_BUDGET,
    subject: "budget.monthlyUsd",
    message: `the plan costs ${monthly.toFixed(2)} USD a month, ${(monthly - budget).toFixed(2)} over the budget of ${budget.toFixed(2)}. The budget limits what always runs and what schedules start: nodes, and what the cloud bills in addition.`,
  };
}
