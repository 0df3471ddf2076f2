import { engineOf } from "../../engines";
import { keptText } from "../../planner/availability/text";
import { partWord } from "../../planner/slices";
import type { DeploymentPlan, ModelPlan, UnplacedModel } from "../../planner/types";
import { sharing } from "../revisions";
import { AUTOSCALER_LABELS, readinessTexts, signalsText, sleepText, spikeText } from "../scaling";
import { sourceName } from "../source-name";
import { speedTexts } from "../speed";
import { bar, type Cell, duration, type Style, table, usd, WIDTH, wrap } from "../style";

type Row = readonly (string | Cell)[];

const HEADER = ["Models", "placed on", "GPUs", "memory per GPU", "", "replicas", "$/month"];

/** Two lines each: placement and use, then details. Unplaced ones first. */
export function models(plan: Pick<DeploymentPlan, "models" | "unplaced">, s: Style): string {
  const rows = [
    ...plan.unplaced.flatMap((m) => unplacedRows(m, sharing(m, plan), s)),
    ...plan.models.flatMap((m) => placedRows(m, sharing(m, plan), s)),
  ];
  return table([HEADER.map((text) => ({ text, paint: s.dim })), ...rows]);
}

function placedRows(m: ModelPlan, share: string, s: Style): Row[] {
  const fraction = m.memoryPerGpu.totalGiB / m.memoryPerGpu.limitGiB;
  return [
    ...named(m.name, s.bold, [
      m.shape,
      m.gpuSlice ? (m.gpuSlice.profile ?? `1 ${partWord(m.gpuSlice)}`) : layoutOf(m),
      memory(m),
      { text: bar(fraction), paint: fraction > 0.95 ? s.warn : s.good },
      replicasOf(m),
      { text: usd(m.monthlyUsd), align: "right" },
    ]),
    ...details(
      m,
      [
        m.adapters ? `LoRA: ${m.adapters.list.length}` : "",
        m.nodesPerReplica > 1 ? `${m.nodesPerReplica} nodes` : "",
        m.serverOf === undefined ? "" : `on the server of ${m.serverOf}`,
        `start-up ≤ ${duration(m.startupBudgetSeconds)}`,
        m.availability ? `answers ${keptText(m.availability)}` : "",
        share,
      ],
      s,
    ),
    ...scaled(m, s),
    ...fast(m, s),
  ];
}

/** How fast a replica answers, and what its tokens cost. */
function fast(m: ModelPlan, s: Style): Row[] {
  const text = speedTexts(m).join(" · ");
  return text === "" ? [] : wrap(text, WIDTH, "  ").map((line) => [{ text: line, paint: s.dim, spans: true }]);
}

function replicasOf({ minReplicas, maxReplicas }: ModelPlan): string {
  return maxReplicas > minReplicas ? `${minReplicas}–${maxReplicas}` : String(minReplicas);
}

/** How its replicas follow demand: what they follow, and how long that takes. */
function scaled({ scaling }: ModelPlan, s: Style): Row[] {
  if (scaling === undefined) {
    return [];
  }
  const { by, min, max, spikeToServed } = scaling;
  const parts = [
    `${AUTOSCALER_LABELS[by]} ${min}–${max} at ${signalsText(scaling)}`,
    `spike to served ${spikeText(spikeToServed)}`,
    sleepText(scaling),
    ...readinessTexts(scaling),
  ];
  const text = parts.filter((part) => part !== undefined).join(" · ");
  return wrap(text, WIDTH, "  ").map((line) => [{ text: line, paint: s.dim, spans: true }]);
}

/** What it would have taken where it lacked least. */
function unplacedRows(m: UnplacedModel, share: string, s: Style): Row[] {
  const { nearest } = m;
  return [
    ...named(m.name, s.bold, [
      { text: "✗ not placed", paint: s.bad },
      ...(nearest
        ? [
            layoutOf(nearest),
            memory(nearest),
            { text: bar(nearest.memoryPerGpu.totalGiB / nearest.memoryPerGpu.limitGiB), paint: s.bad },
          ]
        : []),
    ]),
    ...details(
      m,
      [
        nearest ? `nearest: ${nearest.shape}` : "",
        nearest?.verdict.answer === "edge" ? "at the edge" : "",
        share,
        m.rule,
      ],
      s,
    ),
  ];
}

/** A long name has a line of its own, lest it widen the table. */
function named(name: string, paint: Style["bold"], cells: Row): Row[] {
  return name.length > 20
    ? [[{ text: name, paint, spans: true }], ["", ...cells]]
    : [[{ text: name, paint }, ...cells]];
}

/** What a model is, below its row: what weights in which format, on which engine. */
function details(m: ModelPlan | UnplacedModel, more: readonly string[], s: Style): Row[] {
  const parts = [
    sourceName(m.source),
    m.format,
    `${engineOf(m.engine).label} ${m.engineVersion}`,
    ...ownImage(m),
    ...more,
  ];
  const text = parts.filter((part) => part !== "").join(" · ");
  return wrap(text, WIDTH, "  ").map((line) => [{ text: line, paint: s.dim, spans: true }]);
}

function ownImage(m: ModelPlan | UnplacedModel): string[] {
  return "image" in m && m.image ? [`in ${m.image.reference}`] : [];
}

function layoutOf(m: Pick<ModelPlan, "gpusPerNode" | "tensorParallel" | "pipelineParallel">): string {
  if (m.gpusPerNode === 0) {
    return "CPU";
  }
  if (m.tensorParallel * m.pipelineParallel === 1) {
    return "1";
  }
  return `TP ${m.tensorParallel}${m.pipelineParallel > 1 ? ` × PP ${m.pipelineParallel}` : ""}`;
}

/** The need at its largest is what decides: it is next to the estimate. */
function memory({ memoryPerGpu: { totalGiB, limitGiB }, verdict }: Pick<ModelPlan, "memoryPerGpu" | "verdict">): Cell {
  const above = verdict.intervalGiB.above.toFixed(1);
  return { text: `${totalGiB.toFixed(1)} +${above} of ${limitGiB.toFixed(1)} GiB`, align: "right" };
}
