/** The catalogue's cards, as table and JSON. */
import type { MachineShape } from "../../catalog/shapes";
import { engineOf } from "../../engines";
import type { CardFit } from "../../planner/card-comparison";
import type { EngineName } from "../../planner/types";
import { type Cell, table, usd } from "../../report/style";

const right = (text: string): Cell => ({ text, align: "right" });

/** Fitting cards first, cheapest, then fewest. */
export function cardTable(fits: readonly CardFit[], engine: EngineName): string {
  const rows = [...fits].sort((a, b) => rank(a) - rank(b) || price(a) - price(b) || gpus(a) - gpus(b));
  return table([
    ["card", right("GPUs"), "layout", right("GiB spare"), right("USD/hour"), ""],
    ...rows.map((fit) => cardRow(fit, engine)),
  ]);
}

function cardRow({ gpu, answer, spareGiB, cheapest }: CardFit, engine: EngineName): readonly (string | Cell)[] {
  if ("refusal" in answer) {
    const counted = spareGiB !== undefined && answer.refusal.layout !== undefined;
    const isEdge = answer.refusal.estimate?.verdict.answer === "edge";
    const inOne = isEdge ? "at the edge: may start or not" : "not in one machine";
    const reason = counted ? inOne : answer.refusal.reason;
    return [
      gpu.model,
      right(counted ? String(gpusOf(answer.refusal.layout)) : ""),
      counted ? layoutText(answer.refusal.layout, engine) : "",
      right(counted ? spareGiB.toFixed(1) : ""),
      right(""),
      { text: shortened(reason), spans: true },
    ];
  }
  const { layout } = answer.candidate;
  return [
    gpu.model,
    right(String(gpusOf(layout))),
    layoutText(layout, engine),
    right((spareGiB ?? 0).toFixed(1)),
    right(cheapest?.usdPerHour === undefined ? "" : usd(cheapest.usdPerHour)),
    { text: cheapest === undefined ? "fits" : `fits; ${machineText(cheapest.shape, gpusOf(layout))}`, spans: true },
  ];
}

export function cardJson({ gpu, answer, spareGiB, cheapest }: CardFit) {
  const layout = "candidate" in answer ? answer.candidate.layout : answer.refusal.layout;
  return {
    gpu: gpu.model,
    fits: "candidate" in answer,
    ...(layout && {
      gpus: gpusOf(layout),
      tensorParallel: layout.tensorParallel,
      pipelineParallel: layout.pipelineParallel,
    }),
    ...(spareGiB !== undefined && { spareGiB }),
    ...("refusal" in answer && { reason: answer.refusal.reason }),
    ...(cheapest && { cheapestShape: cheapest.shape.name, usdPerHour: cheapest.usdPerHour }),
  };
}

/** The machine's price with all its cards. */
function machineText({ name, gpu }: MachineShape, needed: number): string {
  return gpu && gpu.count > needed ? `${name} with ${gpu.count}` : name;
}

type Layout = NonNullable<Extract<CardFit["answer"], { candidate: unknown }>["candidate"]>["layout"];

function gpusOf(layout: Layout | undefined): number {
  return layout === undefined ? 0 : layout.gpusPerNode * layout.nodesPerReplica;
}

/** Without tensor parallelism whole layers are spread. */
function layoutText(layout: Layout | undefined, engine: EngineName): string {
  if (layout === undefined) {
    return "";
  }
  const { tensorParallel: tp, pipelineParallel: pp } = layout;
  if (!engineOf(engine).parallelism.tensor) {
    return pp > 1 ? "layers spread" : "";
  }
  return `TP ${tp} × PP ${pp}`;
}

function rank({ answer }: CardFit): number {
  return "candidate" in answer ? 0 : 1;
}

function price({ cheapest }: CardFit): number {
  return cheapest?.usdPerHour ?? Number.MAX_SAFE_INTEGER;
}

function gpus({ answer }: CardFit): number {
  return "candidate" in answer ? gpusOf(answer.candidate.layout) : 0;
}

const LONGEST = 90;

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
