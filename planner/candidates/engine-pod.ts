import { engineOf } from "../../engines";
import { isImageVolume } from "../../engines/sources";
import { adapterHostGiB, adapterStorageGiB } from "../adapters";
import type { EnginePod } from "../pod-resources";
import type { ModelRequest } from "../request";
import { allOf } from "../sidecars";
import { modelFilesGB, modelStorageGiB } from "../storage";
import { userScratchGiB } from "../user-pod";

/** Logs, compile caches and temporary files. */
const SCRATCH_GIB = 10;

/** @param processes of the engine in the pod: one per GPU. */
export function enginePod(model: ModelRequest, processes: number): EnginePod {
  return {
    ephemeralStorageGiB: ephemeralGiB(model),
    adapterMemoryGiB: adapterHostGiB(model, processes),
    least: { cpu: model.pod?.cpu ?? 0, memoryGiB: model.pod?.memoryGiB ?? 0 },
    sidecar: allOf([engineOf(model.engine).sidecar, ...(model.sidecars ?? [])]),
  };
}

/** Scratch, plus the model where it is copied next to the engine, or pulled as an image. */
function ephemeralGiB(model: ModelRequest): number {
  const copied =
    (engineOf(model.engine).weightsFrom === "store" && model.loading === "copy") || isImageVolume(model.source);
  return (
    SCRATCH_GIB +
    (copied ? modelStorageGiB(modelFilesGB(model)) : 0) +
    adapterStorageGiB(model) +
    userScratchGiB(model.pod)
  );
}
