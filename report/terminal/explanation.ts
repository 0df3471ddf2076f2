import { deciderText, verdictText } from "../../planner/memory/verdict-text";
import { stepsOf } from "../../planner/sizing";
import { partName } from "../../planner/slices";
import type { AdaptersPlan, CapacityTableComparison, ModelPlan, SizingComparison } from "../../planner/types";
import { speedDetails } from "../speed";
import { count, type Style, WIDTH, wrap } from "../style";

/** `--explain`: why each model fits, and what the two published rules would have said (docs/sizing.md). */
export function explanation(models: readonly ModelPlan[], s: Style): string {
  return models
    .map((m) => [
      s.bold(m.name),
      ...fits(m),
      ...(m.sizing ? rule(m.sizing) : []),
      ...(m.capacityTable ? capacity(m.capacityTable) : []),
    ])
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}

function fits(m: ModelPlan): string[] {
  const { weightsGiB, kvCacheGiB, overheadGiB, totalGiB, limitGiB } = m.memoryPerGpu;
  const where = m.gpusPerNode === 0 ? "host memory" : `each ${partName(m.gpuSlice)}`;
  return [
    ...paragraph(
      `on ${where}: weights ${gib(weightsGiB)} + KV cache ${gib(kvCacheGiB)} (${m.concurrency} × ${m.contextTokens} tokens) + overhead ${gib(overheadGiB)} = ${gib(totalGiB)} of ${gib(limitGiB)} GiB`,
    ),
    ...paragraph(`${verdictText(m.verdict)}; ${deciderText(m.verdict.decides)}`),
    ...paragraph(
      m.loading === "cache"
        ? `weights: ${m.weightsGB.toFixed(1)} GB from the node's cache`
        : `volume: ${m.modelStorageGiB} GiB for ${m.weightsGB.toFixed(1)} GB of weights`,
    ),
    ...(m.adapters ? paragraph(adaptersText(m.adapters)) : []),
    ...m.notes.flatMap((note) => paragraph(note)),
    ...speedDetails(m).flatMap((text, index) => paragraph(index === 0 ? `speed: ${text}` : text)),
  ];
}

function adaptersText({ list, slots, maxRank, gpuGiB, storageGiB }: AdaptersPlan): string {
  const names = list.map(({ name }) => name).join(", ");
  return `LoRA adapters ${names}: ${slots} at once up to rank ${maxRank} take ${gpuGiB.toFixed(2)} GiB of the weights on each; volume: ${storageGiB} GiB`;
}

function rule(sizing: SizingComparison): string[] {
  return [
    `  five-step rule: ${count(sizing.ruleMemoryGB)} GB, ${sizing.ruleNodes} node(s); planned: ${sizing.exactNodes}`,
    ...stepsOf(sizing).flatMap(({ step, text }) => paragraph(`${step}. ${text}`, "    ")),
    ...sizing.difference.split("; ").flatMap((clause) => paragraph(`- ${clause}`, "    ")),
  ];
}

function capacity(row: CapacityTableComparison): string[] {
  const { tokensPerSecond: speed } = row;
  const says = `${row.tableGpuMemoryGB} GB on ${row.tableGpus} GPU(s) for ${row.classB} billion parameters at 4 bits`;
  const fast = speed
    ? `, ${speed.from}–${speed.to} tokens/s for one request (its rule of thumb, not a measurement)`
    : "";
  return [
    ...paragraph(`capacity table: ${says}${fast}; batching helps: ${row.batchingBenefit}`),
    ...paragraph(`- ${row.difference}`, "    "),
  ];
}

function paragraph(text: string, indent = "  "): string[] {
  return wrap(text, WIDTH, indent);
}

function gib(value: number): string {
  return value.toFixed(1);
}
