/** Selects the own measurement for a model and layout. Pure. */
import type { MachineShape } from "../../catalog/shapes";
import type { Layout } from "../layouts";
import type { ModelRequest } from "../request";
import { measuredCard, measuredModel } from "./measured-names";
import type { SpeedMeasurement } from "./measurement";

type Model = Pick<ModelRequest, "engine" | "engineVersion" | "source" | "quantization" | "kvCacheDtype">;

export interface OwnMeasurements {
  /** Of this model and engine version, on any card and layout. */
  readonly current: readonly SpeedMeasurement[];
  /** Of other versions, ignored. */
  readonly stale: readonly SpeedMeasurement[];
}

export function measurementsOf(model: Model, all: readonly SpeedMeasurement[]): OwnMeasurements {
  const own = all.filter(
    (each) =>
      each.engine === model.engine &&
      each.model === measuredModel(model.source) &&
      each.quantization === model.quantization &&
      (each.kvCacheDtype ?? "auto") === model.kvCacheDtype,
  );
  const isCurrent = ({ engineVersion }: SpeedMeasurement) => engineVersion === model.engineVersion;
  return { current: own.filter(isCurrent), stale: own.filter((each) => !isCurrent(each)) };
}

/** The newest of this card and layout. */
export function measurementFor(
  { measurements = [] }: Pick<ModelRequest, "measurements">,
  machine: MachineShape,
  { tensorParallel, pipelineParallel }: Pick<Layout, "tensorParallel" | "pipelineParallel">,
): SpeedMeasurement | undefined {
  const card = measuredCard(machine);
  return measurements
    .filter(
      (each) =>
        each.card === card && each.tensorParallel === tensorParallel && each.pipelineParallel === pipelineParallel,
    )
    .reduce<SpeedMeasurement | undefined>(
      (newest, each) => (newest === undefined || each.measuredAt > newest.measuredAt ? each : newest),
      undefined,
    );
}
