import type { Refusal } from "./candidates/types";
import type { ModelRequest, PoolRequest } from "./request";
import type { ServerModels } from "./shared-servers";
import { ruleFor } from "./sizing";
import type { CapacityProblem } from "./types";
import type { ServerMiss } from "./unplaced";

export function explainRefusal(
  { host: model, guests }: ServerModels,
  pools: readonly PoolRequest[],
  refusals: readonly Refusal[],
): CapacityProblem {
  const nearest = nearestFirst(refusals);
  const lines = nearest.map(({ pool, reason }) => `pool "${pool}": ${reason}`);
  const tried = lines.length > 0 ? lines.join("; ") : "no pool of this environment may run it";
  const remedies = [...new Set(nearest.flatMap(({ remedy }) => remedy ?? []))];
  const asked = {
    ...(remedies.length > 0 && { remedies }),
    severity: "mandatory",
    subject: `models.${model.name}`,
  } as const;
  const rule = nearest[0]?.rule;
  if (rule !== undefined) {
    return {
      ...asked,
      rule,
      message: `${model.name} keeps its service level on no allowed pool. ${capitalized(tried)}.`,
    };
  }
  return {
    ...asked,
    rule: "model-fits",
    message: `${load(model)}${guests.map((guest) => ` and ${load(guest)}`).join("")} ${guests.length > 0 ? "on its server fit" : "fits"} no allowed pool. ${capitalized(tried)}.${ruleBeside(model, pools, nearest)}`,
  };
}

/** The least missing, among those with a layout. */
export function nearestMiss(refusals: readonly Refusal[]): ServerMiss | undefined {
  const [first] = nearestFirst(refusals);
  const { pool, layout, each } = first ?? {};
  return pool !== undefined && layout && each ? { pool, layout, each } : undefined;
}

function load({ name, concurrency, contextTokens }: ModelRequest): string {
  return `${name} with ${concurrency} × ${contextTokens} tokens`;
}

export function nearestFirst(refusals: readonly Refusal[]): Refusal[] {
  return [...refusals].sort((a, b) => missing(a) - missing(b) || (a.tooSlow ?? 0) - (b.tooSlow ?? 0));
}

/** The five-step rule's answer next to the refusal: readers expect that number. */
function ruleBeside(model: ModelRequest, pools: readonly PoolRequest[], nearest: readonly Refusal[]): string {
  const [first] = nearest;
  // The rule covers memory only, no other reasons.
  const shape = first?.layout && pools.find((p) => p.name === first.pool)?.shape;
  const rule = shape && ruleFor(model, shape);
  return rule
    ? ` (The five-step rule would say ${rule.nodes} node(s) of ${shape.name} for ${rule.memoryGB.toFixed(0)} GB: it counts weights plus 20 %, not this load.)`
    : "";
}

/** GiB on all GPUs. Too slow counts as fitting, so it is nearer. */
function missing(refusal: Refusal): number {
  if (refusal.rule !== undefined) {
    return 0;
  }
  return refusal.missingPerGpuGiB === undefined || !refusal.layout
    ? Number.POSITIVE_INFINITY
    : refusal.missingPerGpuGiB * Math.max(1, refusal.layout.gpusPerNode) * refusal.layout.nodesPerReplica;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
