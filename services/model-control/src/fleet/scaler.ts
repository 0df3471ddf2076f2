import type { ScaleTarget } from "./workers";

export interface AutoscalerState {
  /** Whether it has paused scaling. */
  readonly paused: boolean;
  /** Whether it scales to zero without demand. */
  readonly sleeps: boolean;
  /** Time of the last demand; changes with each new one. */
  readonly lastActive?: string;
}

/**
 * Commands to an autoscaler. `stopped`: stay at zero; `wanted`: run without demand; `free`: decide
 * by itself.
 */
export const AUTOSCALER_WORDS = ["stopped", "wanted", "free"] as const;
export type AutoscalerWord = (typeof AUTOSCALER_WORDS)[number];

/**
 * Changes a workload's replica count. Methods throw `EngineUnavailable` when the cluster does not
 * answer.
 */
export interface Scaler {
  replicas(target: ScaleTarget, signal: AbortSignal): Promise<number>;
  scale(target: ScaleTarget, replicas: number, signal: AbortSignal): Promise<void>;
  /** Undefined without a controllable autoscaler; only KEDA's is one. */
  autoscaler(target: ScaleTarget, signal: AbortSignal): Promise<AutoscalerState | undefined>;
  /**
   * Replaces this API's last command; keeps settings of others. No-op without a controllable
   * autoscaler.
   */
  tell(target: ScaleTarget, word: AutoscalerWord, signal: AbortSignal): Promise<void>;
}
