export type ModelState = "absent" | "pulling" | "on_disk" | "loaded";

export interface PullOptions {
  /** Called often, with what goes on and how far it is. */
  readonly onProgress: (what: string) => void;
  /** Longest time without progress. */
  readonly stallSeconds: number;
}

/** Whoever can bring a model to an engine and take it away: the control API, or Ollama itself. */
export interface Lifecycle {
  /** Who it is, for the report. */
  readonly label: string;
  /** Where a person looks when it fails. */
  readonly lookAt: string;
  state(model: string, signal: AbortSignal): Promise<ModelState>;
  /** Brings the model to disk and into memory. @throws StepFailure @throws NoAnswer */
  pull(model: string, options: PullOptions): Promise<void>;
  /** Brings what is on disk into memory. */
  load(model: string, signal: AbortSignal): Promise<void>;
  /** Asks for the model's memory back; whether it came is for the caller to see. */
  unload(model: string, signal: AbortSignal): Promise<void>;
}
