import { stepsOf } from "../../planner/sizing";
import { partName } from "../../planner/slices";
import type {
  CapacityTableComparison,
  DeploymentPlan,
  ModelPlan,
  SizingComparison,
  UnplacedModel,
} from "../../planner/types";
import { sharing } from "../revisions";
import { sourceName } from "../source-name";
import { duration } from "../style";
import { breakable, type Column, dataTable, type Section, twoLines } from "./elements";
import { count, engineLabel, money, parallelism, plural } from "./format";
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
];

export function modelsSection(
  plan: Pick<DeploymentPlan, "models" | "unplaced">,
  keys: ReadonlyMap<string, ModelKey>,
): Section {
  const { models, unplaced } = plan;
  return {
    id: "models",
    title: "Models",
    lead: "Start-up is the time allowed until a replica answers. Cost is a model's share of its pool at minimum replicas. Replicas are those that always run, and how many may run while demand asks for them.",
    body: html`${dataTable("Models and where they run", COLUMNS, [
      ...unplaced.map((m) => unplacedRow(m, sharing(m, plan))),
      ...models.map((m) => row(m, keys.get(m.name), sharing(m, plan))),
    ])}
${differences(models)}`,
  };
}

function row(m: ModelPlan, key: ModelKey | undefined, share: string): readonly Part[] {
  return [
    html`${keyChip(key)}${m.name}<small>${m.servedName} · ${m.task}${m.domain && ` · ${m.domain}`}</small><small>${breakable(sourceName(m.source))} · ${m.format}</small>${adapters(m)}${shareLine(share)}`,
    twoLines(engineLabel(m.engine), [m.engineVersion, m.image ? html`<br>${breakable(m.image.reference)}` : ""]),
    twoLines(m.shape, [machineOf(m), html`<br>pool ${m.pool}`]),
    twoLines(parallelism(m), gpusOfReplica(m)),
    twoLines(String(m.minReplicas), m.maxReplicas > m.minReplicas ? `up to ${m.maxReplicas}` : ""),
    `≤ ${duration(m.startupBudgetSeconds)}`,
    twoLines([money(m.monthlyUsd), "/month"], [money(m.hourlyUsd), "/hour"]),
  ];
}

function shareLine(share: string): Markup | undefined {
  return share === "" ? undefined : html`<small>${share}</small>`;
}

function unplacedRow(m: UnplacedModel, share: string): readonly Part[] {
  return [
    html`${m.name}<small>${m.servedName} · ${m.task}</small><small>${breakable(sourceName(m.source))} · ${m.format}</small>${shareLine(share)}`,
    twoLines(engineLabel(m.engine), m.engineVersion),
    html`<b class="bad">not placed</b><small>${m.rule}</small>`,
    ...Array.from({ length: 4 }, () => "–"),
  ];
}

function adapters({ adapters: planned }: ModelPlan): Part {
  return planned === undefined
    ? ""
    : html`<small>LoRA: ${breakable(planned.list.map(({ name }) => name).join(", "))} · rank ≤ ${planned.maxRank}</small>`;
}

function machineOf({ serverOf, gpuModel, resources, cpuArch }: ModelPlan): string {
  return serverOf === undefined
    ? (gpuModel ?? `${count(resources.cpu, 1)} CPUs, ${cpuArch}`)
    : `on the server of ${serverOf}`;
}

function gpusOfReplica({ gpusPerNode, nodesPerReplica, gpuSlice }: ModelPlan): string {
  return gpusPerNode === 0
    ? "no GPU"
    : `${plural(gpusPerNode * nodesPerReplica, partName(gpuSlice))} on ${plural(nodesPerReplica, "node")}`;
}

function comparison({ ruleMemoryGB, ruleNodes, exactNodes }: SizingComparison): string {
  return `Rule ${plural(ruleNodes, "node")}, ${count(ruleMemoryGB)} GB; exact ${plural(exactNodes, "node")}`;
}

/** Folded: a paragraph per model. */
function differences(models: readonly ModelPlan[]): Markup | undefined {
  const compared = models.filter(({ sizing }) => sizing);
  if (compared.length === 0) {
    return undefined;
  }
  return html`<details class="differences"><summary>How the five-step rule and the capacity table compare, model by model</summary><dl>${compared.map(
    ({ name, sizing, capacityTable }) =>
      html`<div><dt>${name}</dt>${sizing && ruleSteps(sizing)}${capacityTable && capacity(capacityTable)}</div>`,
  )}</dl></details>`;
}

function ruleSteps(sizing: SizingComparison): Markup {
  return html`<dd>${comparison(sizing)}</dd><dd><ol>${stepsOf(sizing).map(({ text }) => html`<li>${text}</li>`)}</ol></dd><dd>${sizing.difference}</dd>`;
}

function capacity(row: CapacityTableComparison): Markup {
  const { tokensPerSecond: speed } = row;
  const fast = speed && `, ${speed.from}–${speed.to} tokens/s for one request (its rule of thumb, not a measurement)`;
  return html`<dd>Capacity table: ${row.tableGpuMemoryGB} GB on ${plural(row.tableGpus, "GPU")} for ${row.classB} billion parameters at 4 bits${fast}. ${row.difference}</dd>`;
}
