/** Which models of the catalogue fit on one machine, as table and JSON. */
import type { ModelEntry } from "../../catalog/models";
import type { MachineShape } from "../../catalog/shapes";
import type { MemoryRequest } from "../../engines/memory-request";
import type { Fit } from "../../planner/candidates/types";
import { formatLabel } from "../../planner/model/format-names";
import { type Cell, table } from "../../report/style";

export interface CatalogueFit {
  readonly name: string;
  readonly entry: ModelEntry;
  readonly load: Pick<MemoryRequest, "architecture" | "quantization" | "contextTokens" | "concurrency">;
  readonly fit: Fit;
}

const right = (text: string): Cell => ({ text, align: "right" });

/** Those that fit first, in the catalogue's order. */
export function catalogueTable(fits: readonly CatalogueFit[], shape: MachineShape, engine: string): string {
  const sorted = [...fits.filter(isFitting), ...fits.filter((each) => !isFitting(each))];
  const title = `${shape.name} · ${engine} · ${fits.filter(isFitting).length} of ${fits.length} models fit`;
  return `${title}\n\n${table([
    ["model", "task", "format", right("tokens"), right("GPUs"), right("GiB spare"), ""],
    ...sorted.map((each) => [
      each.name,
      each.entry.task,
      formatLabel(each.load.architecture, each.load.quantization),
      right(`${each.load.concurrency} × ${each.load.contextTokens}`),
      right(gpusOf(each.fit) === undefined ? "" : String(gpusOf(each.fit))),
      right(spareOf(each.fit)?.toFixed(1) ?? ""),
      { text: "refusal" in each.fit ? reasonOf(each.fit.refusal) : "fits", spans: true },
    ]),
  ])}`;
}

export function catalogueJson({ name, entry, load, fit }: CatalogueFit) {
  const gpus = gpusOf(fit);
  const spareGiB = spareOf(fit);
  return {
    model: name,
    task: entry.task,
    contextTokens: load.contextTokens,
    concurrency: load.concurrency,
    fits: "candidate" in fit,
    ...(gpus !== undefined && { gpus }),
    ...(spareGiB !== undefined && { spareGiB }),
    ...("refusal" in fit && { reason: fit.refusal.reason }),
  };
}

const isFitting = ({ fit }: CatalogueFit) => "candidate" in fit;

function gpusOf(fit: Fit): number | undefined {
  const layout = "candidate" in fit ? fit.candidate.layout : fit.refusal.layout;
  return layout && layout.gpusPerNode * layout.nodesPerReplica;
}

/** Of the tightest GPU; negative where memory is missing. */
function spareOf(fit: Fit): number | undefined {
  const estimate = "candidate" in fit ? fit.candidate.estimate : fit.refusal.estimate;
  return estimate && estimate.perGpu.limitGiB - estimate.perGpu.totalGiB;
}

function reasonOf({ estimate, reason }: Extract<Fit, { refusal: unknown }>["refusal"]): string {
  if (estimate === undefined) {
    return reason;
  }
  return estimate.verdict.answer === "edge" ? "at the edge: may start or not" : "too large";
}
