import type { ModelPlan, SizingComparison } from "../../../planner/types";
import { duration } from "../style";
import { type Column, dataTable, type Section, twoLines } from "./elements";
import { count, engineLabel, money, parallelism, plural, range } from "./format";
import { html, type Markup, type Part } from "./markup";
import { keyChip, type ModelKey } from "./model-keys";

const COLUMNS: readonly Column[] = [
  { title: "Model" },
  { title: "Engine", kind: "short" },
  { title: "Placed on" },
  { title: "TP × PP", kind: "short" },
  { title: "Replicas", kind: "number" },
  { title: "Start-up", kind: "number" },
  { title: "Cost", kind: "number" },
  { title: "Five-step rule and exact plan" },
];

export function modelsSection(models: readonly ModelPlan[], keys: ReadonlyMap<string, ModelKey>): Section {
  return {
    id: "models",
    title: "Models",
    lead: "Start-up is the time allowed until a replica answers. Cost is a model's share of its pool at minimum replicas.",
    body: html`${dataTable(
      "Models and where they run",
      COLUMNS,
      models.map((m) => row(m, keys.get(m.name))),
    )}
${differences(models)}`,
  };
}

function row(m: ModelPlan, key: ModelKey | undefined): readonly Part[] {
  return [
    html`${keyChip(key)}${m.name}<small>${m.servedName} · ${m.task}${m.domain && ` · ${m.domain}`}</small>`,
    twoLines(engineLabel(m.engine), m.engineVersion),
    twoLines(m.shape, [m.gpuModel ?? `${count(m.resources.cpu, 1)} CPUs, ${m.cpuArch}`, html`<br>pool ${m.pool}`]),
    twoLines(parallelism(m), gpusOfReplica(m)),
    range(m.minReplicas, m.maxReplicas),
    `≤ ${duration(m.startupBudgetSeconds)}`,
    twoLines([money(m.monthlyUsd), "/month"], [money(m.hourlyUsd), "/hour"]),
    m.sizing ? comparison(m.sizing) : html`<small>for GPUs only</small>`,
  ];
}

function gpusOfReplica({ gpusPerNode, nodesPerReplica }: ModelPlan): string {
  return gpusPerNode === 0
    ? "no GPU"
    : `${plural(gpusPerNode * nodesPerReplica, "GPU")} on ${plural(nodesPerReplica, "node")}`;
}

function comparison({ ruleMemoryGB, ruleNodes, exactNodes }: SizingComparison): Part {
  const nodes = `rule ${plural(ruleNodes, "node")}, exact ${plural(exactNodes, "node")}`;
  return twoLines(nodes, `${count(ruleMemoryGB)} GB by the rule`);
}

/** Why rule and plan differ takes a paragraph for each model: it opens on demand. */
function differences(models: readonly ModelPlan[]): Markup | undefined {
  const compared = models.flatMap(({ name, sizing }) => (sizing ? [{ name, difference: sizing.difference }] : []));
  if (compared.length === 0) {
    return undefined;
  }
  return html`<details class="differences"><summary>How the five-step rule compares, model by model</summary><dl>${compared.map(
    ({ name, difference }) => html`<div><dt>${name}</dt><dd>${difference}</dd></div>`,
  )}</dl></details>`;
}
