import { type EngineName, engineOf } from "../../engines";
import { decimal } from "../../names/decimal";
import { partName } from "../../planner/slices";
import type { ModelPlan } from "../../planner/types";
import { usd } from "../style";

export function engineLabel(engine: EngineName): string {
  return engineOf(engine).label;
}

/** `1,234`, `0.5`: at most `digits` decimals. */
export function count(value: number, digits = 0): string {
  return decimal(value, digits);
}

/** `71.5 GiB` */
export function gib(value: number): string {
  return `${decimal(value, 1, 1)} GiB`;
}

/** `$1,234` */
export function money(amount: number): string {
  return `$${usd(amount)}`;
}

/** `2`, or `1–3` where the bounds differ. */
export function range(min: number, max: number): string {
  return min === max ? count(min) : `${count(min)}–${count(max)}`;
}

/** `1 node`, `2 nodes` */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** How one replica is split: `TP 8 × PP 2`, `1 GPU`, `1 1g.10gb slice`, `CPU`. */
export function parallelism({
  gpusPerNode,
  tensorParallel,
  pipelineParallel,
  gpuSlice,
}: Pick<ModelPlan, "gpusPerNode" | "tensorParallel" | "pipelineParallel" | "gpuSlice">): string {
  if (gpusPerNode === 0) {
    return "CPU";
  }
  return tensorParallel * pipelineParallel === 1
    ? `1 ${partName(gpuSlice)}`
    : `TP ${tensorParallel} × PP ${pipelineParallel}`;
}

/** `95%`, `<1%` */
export function share(part: number, whole: number): string {
  const hundredths = whole > 0 ? (100 * part) / whole : 0;
  return hundredths > 0 && hundredths < 1 ? "<1%" : `${count(hundredths)}%`;
}

/** A width for SVG, in percent of `whole`, from 0 to 100. */
export function percent(part: number, whole: number): string {
  const fraction = whole > 0 ? Math.min(1, Math.max(0, part / whole)) : 0;
  return `${Number((fraction * 100).toFixed(2))}%`;
}
