import { migLayout, migProfilesOf } from "../catalog/mig-profiles";
import type { GpuSpec } from "../catalog/shapes";
import { engineNames, engineOf } from "../engines";
import type { CrossingProblem } from "./fabric";
import type { ModelRequest } from "./request";
import { partName } from "./slices";

/** Why models cannot time-share cards: their engine assumes exclusive memory. */
export function turnsProblem(
  models: readonly Pick<ModelRequest, "name" | "engine">[],
  { slice, model }: GpuSpec,
): CrossingProblem | undefined {
  const [first] = models;
  const { noTimeSlicing } = first ? engineOf(first.engine) : {};
  if (slice?.kind !== "time-slices" || noTimeSlicing === undefined) {
    return undefined;
  }
  const others = engineNames.filter((name) => engineOf(name).noTimeSlicing === undefined).join(" or ");
  const layouts = migProfilesOf(model).map(migLayout);
  const mig = layouts.length > 0 ? `, or part the cards by sharing: {mig: ${layouts[0]}}` : "";
  return {
    reason: `pods take turns on its cards (timeSlicing), and ${noTimeSlicing}`,
    remedy: `give ${models.map(({ name }) => name).join(" and ")} a pool whose GPUs are whole${mig}, or write engine: ${others}`,
  };
}

/**
 * Why a pod has one slice; undefined for whole GPUs.
 *
 * @param missingGiB missing memory on a slice: slices that are still too small are no fix.
 */
export function partProblem(gpu: GpuSpec, missingGiB = 0): CrossingProblem | undefined {
  const { slice, model, memoryGiB } = gpu;
  if (slice === undefined) {
    return undefined;
  }
  if (slice.kind === "time-slices") {
    return {
      reason: `a pod gets one turn: two may be of the same card`,
      remedy: "write fewer replicas under timeSlicing, or add a pool for it whose GPUs are whole",
    };
  }
  const larger = migProfilesOf(model).find((profile) => profile.memoryGiB > memoryGiB + missingGiB);
  return {
    reason: `a pod gets one slice: a process sees no more than one, and slices do not reach each other's memory`,
    remedy: `add a pool for it whose GPUs are whole${larger ? `, or in larger slices, such as ${migLayout(larger)} (${larger.memoryGiB} GiB)` : ""}`,
  };
}

/** "GPU", or the slice with its memory. */
export function perPart(gpu: GpuSpec | undefined): string {
  const slice = gpu?.slice;
  return slice ? `${partName(slice)} of ${memory(gpu)} GiB` : "GPU";
}

export function partNotes(gpu: GpuSpec): readonly string[] {
  const { slice, model } = gpu;
  if (slice === undefined) {
    return [];
  }
  return slice.kind === "mig"
    ? [
        `runs on a ${slice.profile} slice of ${memory(gpu)} GiB of an ${model}: no start-up on a slice was measured, the estimate is that of the card`,
      ]
    : [
        `shares an ${model} in ${slice.perGpu} turns: the plan counts ${memory(gpu)} GiB as its part, and nothing keeps the others from taking it. One that takes more than its own ends itself or a neighbour, whichever asks for memory when the card has none left`,
      ];
}

function memory({ engineMemoryGiB }: GpuSpec): string {
  return String(Number(engineMemoryGiB.toFixed(2)));
}
