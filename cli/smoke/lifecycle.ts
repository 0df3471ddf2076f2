export type ModelState = "absent" | "pulling" | "on_disk" | "loaded";

export interface PullOptions {
  /** Called often, with step and progress. */
  readonly onProgress: (what: string) => void;
  /** Limit without progress. */
  readonly stallSeconds: number;
}

/** Pulls and unloads models: the control API, or Ollama. */
export interface Lifecycle {
  /** For the report. */
  readonly label: string;
  /** Advice when it fails. */
  readonly lookAt: string;
  state(model: string, signal: AbortSignal): Promise<ModelState>;
  /** To disk and into memory. @throws StepFailure @throws NoAnswer */
  pull(model: string, options: PullOptions): Promise<void>;
  /** From disk into memory. */
  load(model: string, signal: AbortSignal): Promise<void>;
  /** Requests unloading; the caller verifies it. */
  unload(model: string, signal: AbortSignal): Promise<void>;
}
