import type { ScaleTarget } from "./workers";

/** How an autoscaler stands to its target. */
export interface AutoscalerState {
  /** Whether it was told to leave the target alone, and has heard it. */
  readonly paused: boolean;
  /** Whether it takes the last replica away while nobody asks for the model. */
  readonly sleeps: boolean;
  /** When it last saw demand: another text whenever it has seen some since. */
  readonly lastActive?: string;
}

/**
 * What the API tells an autoscaler: its target is `stopped`, and stays so; it is `wanted`, though nobody asks for the model; or nothing
 * more, `free`.
 */
export const AUTOSCALER_WORDS = ["stopped", "wanted", "free"] as const;
export type AutoscalerWord = (typeof AUTOSCALER_WORDS)[number];

/** Changes how many replicas a workload has. All methods throw `EngineUnavailable` when the cluster does not answer. */
export interface Scaler {
  replicas(target: ScaleTarget, signal: AbortSignal): Promise<number>;
  scale(target: ScaleTarget, replicas: number, signal: AbortSignal): Promise<void>;
  /** Undefined for a target without one that can be told anything: only KEDA's can. */
  autoscaler(target: ScaleTarget, signal: AbortSignal): Promise<AutoscalerState | undefined>;
  /** Takes back what it told before. What others have told the autoscaler stays. Does nothing where it cannot be told anything. */
  tell(target: ScaleTarget, word: AutoscalerWord, signal: AbortSignal): Promise<void>;
}
