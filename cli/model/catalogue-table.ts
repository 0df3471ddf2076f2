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
  /** The largest smaller format in which it fits, where it does not in its own. @default none */
  readonly smaller?: SmallerFit;
}

export interface SmallerFit extends Pick<CatalogueFit, "load" | "fit"> {
  /** `models.<name>.quantization`. */
  readonly quantization: string;
  /** Engines do not make it of the catalogue's weights: a repository must have it. */
  readonly needsCheckpoint: boolean;
}

const right = (text: string): Cell => ({ text, align: "right" });

/** Those that fit first, then those that do in a smaller format; in the catalogue's order. */
export function catalogueTable(fits: readonly CatalogueFit[], shape: MachineShape, engine: string): string {
  const smaller = fits.filter((each) => each.smaller);
  const sorted = [...fits.filter(isFitting), ...smaller, ...fits.filter((each) => !isFitting(each) && !each.smaller)];
  const more = smaller.length === 0 ? "" : `, ${smaller.length} more in a smaller format`;
  const title = `${shape.name} · ${engine} · ${fits.filter(isFitting).length} of ${fits.length} models fit${more}`;
  return `${title}\n\n${table([
    ["model", "task", "format", right("tokens"), right("GPUs"), right("GiB spare"), ""],
    ...sorted.map(({ name, entry, smaller, ...own }) => {
      const { load, fit } = smaller ?? own;
      return [
        name,
        entry.task,
        formatLabel(load.architecture, load.quantization),
        right(`${load.concurrency} × ${load.contextTokens}`),
        right(gpusOf(fit) === undefined ? "" : String(gpusOf(fit))),
        right(spareOf(fit)?.toFixed(1) ?? ""),
        { text: smaller ? conditionOf(smaller) : "refusal" in fit ? reasonOf(fit.refusal) : "fits", spans: true },
      ];
    }),
  ])}`;
}

export function catalogueJson({ name, entry, load, fit, smaller }: CatalogueFit) {
  return {
    model: name,
    task: entry.task,
    contextTokens: load.contextTokens,
    concurrency: load.concurrency,
    fits: "candidate" in fit,
    ...sizeJson(fit),
    ...("refusal" in fit && { reason: fit.refusal.reason }),
    ...(smaller && {
      smallerFormat: {
        quantization: smaller.quantization,
        needsCheckpoint: smaller.needsCheckpoint,
        ...sizeJson(smaller.fit),
      },
    }),
  };
}

function sizeJson(fit: Fit) {
  const gpus = gpusOf(fit);
  const spareGiB = spareOf(fit);
  return { ...(gpus !== undefined && { gpus }), ...(spareGiB !== undefined && { spareGiB }) };
}

function conditionOf({ quantization, needsCheckpoint }: SmallerFit): string {
  return needsCheckpoint ? "fits, as a repository in this format" : `fits with quantization: ${quantization}`;
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
