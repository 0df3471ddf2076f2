import type { ScaleTarget } from "./workers";

/** Changes how many replicas a workload has. All methods throw `EngineUnavailable` when the cluster does not answer. */
export interface Scaler {
  replicas(target: ScaleTarget, signal: AbortSignal): Promise<number>;
  scale(target: ScaleTarget, replicas: number, signal: AbortSignal): Promise<void>;
}
