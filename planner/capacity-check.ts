import type { Candidate } from "./candidates/types";
import { type CapacityRow, capacityRow, TABLE_BITS } from "./memory/capacity-table";
import { exactMemoryGB } from "./memory/sizing-rule";
import { countParameters } from "./model/parameters";
import type { ModelRequest } from "./request";
import { nominalBits } from "./sizing";
import type { CapacityTableComparison } from "./types";

/**
 * The published capacity table's row next to the planner's figure. Undefined for models on CPUs and
 * above the table's largest class.
 */
export function compareWithTable(
  model: ModelRequest,
  { layout, estimate }: Candidate,
): CapacityTableComparison | undefined {
  const row = capacityRow(countParameters(model.architecture).total / 1e9);
  if (!row || layout.gpusPerNode === 0) {
    return undefined;
  }
  const exactGpuMemoryGB = exactMemoryGB({ ...layout, estimate });
  const exactGpus = layout.gpusPerNode * layout.nodesPerReplica;
  return {
    classB: row.parametersB,
    tableGpuMemoryGB: row.minGpuMemoryGB,
    tableGpus: row.gpus,
    exactGpuMemoryGB,
    exactGpus,
    ...(answersInText(model) && { tokensPerSecond: row.tokensPerSecond }),
    batchingBenefit: row.batchingBenefit,
    difference: explain(row, exactGpuMemoryGB, exactGpus, model),
  };
}

/** The table's speeds are of dense text models: mixtures of experts and embeddings differ. */
function answersInText({ architecture, task }: ModelRequest): boolean {
  return (
    (task === "chat" || task === "completion") &&
    architecture.layerSpecs.every(({ feedForward }) => feedForward.kind !== "experts")
  );
}

function explain(row: CapacityRow, exactGB: number, exactGpus: number, model: ModelRequest): string {
  const bits = nominalBits(model);
  const more = exactGB - row.minGpuMemoryGB;
  const load = `${model.concurrency} × ${model.contextTokens} tokens`;
  const causes = [
    bits === TABLE_BITS ? undefined : `the table counts ${TABLE_BITS} bits per parameter, these weights have ${bits}`,
    more > 0
      ? `the table names no load, the plan holds ${load}`
      : `the row is for the largest model of its class and leaves room, the plan counts this model and ${load}`,
  ].filter((cause) => cause !== undefined);
  const memory =
    more > 0
      ? `${exactGB.toFixed(1)} GB exactly, ${more.toFixed(1)} more than the table's ${row.minGpuMemoryGB}`
      : `${exactGB.toFixed(1)} GB exactly, within the table's ${row.minGpuMemoryGB}`;
  const gpus = exactGpus === row.gpus ? "" : `; ${exactGpus} GPU(s), the table says ${row.gpus}`;
  return `${memory}${gpus}: ${causes.join("; ")}`;
}
