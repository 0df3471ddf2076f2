import type { CardVerdict } from "../../engines/card";
import type { CrossingProblem } from "../fabric";
import { perPart } from "../gpu-parts";
import type { Layout } from "../layouts";
import type { MemoryEstimate } from "../memory/types";
import { isStartCheck } from "../memory/verdict";
import { deciderText, verdictText } from "../memory/verdict-text";
import type { Capacity } from "../packing";
import type { PoolRequest } from "../request";
import type { ServerModels } from "../shared-servers";

/** Without duplicates. */
export function notesOf(verdicts: readonly CardVerdict[]): string[] {
  return [...new Set(verdicts.flatMap(({ notes }) => notes))];
}

/** The layout that lacks least, its memory, and why replicas cannot span more nodes. */
export function missText(
  pool: PoolRequest,
  { layout, estimate }: { readonly layout: Layout; readonly estimate: MemoryEstimate },
  barrier: Pick<CrossingProblem, "reason"> | undefined,
): string {
  const { totalGiB, limitGiB, weightsGiB, kvCacheGiB, overheadGiB } = estimate.perGpu;
  const nodes = layout.nodesPerReplica === 1 ? "1 node" : `${layout.nodesPerReplica} nodes`;
  const alone = barrier ? `; ${barrier.reason}` : "";
  return (
    `nearest is TP ${layout.tensorParallel} × PP ${layout.pipelineParallel} on ${nodes} of ${pool.shape.name}: ` +
    `${gib(totalGiB)} per ${perPart(pool.shape.gpu)} (weights ${gib(weightsGiB)}, KV cache ${gib(kvCacheGiB)}, overhead ${gib(overheadGiB)}) of ${gib(limitGiB)}, ` +
    `${verdictText(estimate.verdict)}${startText(estimate.verdict)}${alone}`
  );
}

function startText({ decides }: MemoryEstimate["verdict"]): string {
  return isStartCheck(decides) ? `; ${deciderText(decides)}` : "";
}

export function eachText({ host, guests }: ServerModels, each: readonly MemoryEstimate[]): string {
  if (guests.length === 0) {
    return "";
  }
  const parts = [host, ...guests].map(({ name }, index) => {
    const { perGpu, verdict } = each[index] ?? {};
    return `${name} ${gib(perGpu?.totalGiB ?? 0)} and up to ${gib(verdict?.intervalGiB.above ?? 0)} more`;
  });
  return `; of it ${parts.join(", ")}`;
}

/** Reasons of one kind follow from each other: a few suffice. */
export function brief(reasons: readonly string[]): string {
  const different = [...new Set(reasons)];
  const shown = different.slice(0, 3);
  const more = different.length - shown.length;
  return `${shown.join("; ")}${more > 0 ? `; and ${more} more reasons of this kind` : ""}`;
}

export function capacityText({ cpu, memoryGiB }: Capacity): string {
  return `${cpu.toFixed(1)} CPUs and ${gib(memoryGiB)}`;
}

export function gib(value: number): string {
  return `${value.toFixed(1)} GiB`;
}
