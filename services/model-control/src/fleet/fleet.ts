import type { BackendKind, PullProgress } from "../backends/backend";
import type { GenerationEvent, GenerationRequest } from "../backends/generation";
import type { Leave } from "./idle";

/** State over all workers; the most advanced one counts. */
export type ModelState = "absent" | "pulling" | "on_disk" | "loaded";

export interface ModelPlacement {
  readonly worker: string;
  readonly state: Exclude<ModelState, "absent">;
  readonly diskBytes?: number;
  readonly memoryBytes?: number;
  readonly lastUsed?: Date;
  /** Of a loaded model: when it is unloaded if idle, or why it stays. */
  readonly leave?: Leave;
}

export interface ModelReport {
  readonly model: string;
  readonly state: ModelState;
  /** Never unloaded or deleted for room. */
  readonly pinned: boolean;
  readonly placements: readonly ModelPlacement[];
}

/** `asleep`: its autoscaler scaled it to zero; the next request starts it. */
export type WorkerState = "running" | "draining" | "stopped" | "starting" | "asleep" | "unreachable";

export interface WorkerReport {
  readonly name: string;
  readonly backend: BackendKind;
  readonly state: WorkerState;
  readonly version?: string;
  /** Undefined if the engine does not report it. */
  readonly gpu?: boolean;
  /** In bytes; the budget comes from the configuration. */
  readonly memory: { readonly budgetBytes: number; readonly usedBytes: number };
  readonly disk?: { readonly budgetBytes: number; readonly usedBytes: number };
  /** On disk or in memory, in the engine's spelling. */
  readonly models: readonly string[];
  /** Loaded models among them. */
  readonly loaded: readonly string[];
  /** Why the engine did not answer; `disk` then has its last known state. */
  readonly problem?: string;
}

/** What a model needs before it can answer, and the worker concerned. */
export type Readiness =
  /** These workers can answer now. */
  | { readonly state: "ready"; readonly workers: readonly string[] }
  | { readonly state: "on_disk" | "pulling" | "absent" }
  /** `stopped`: by an operator, who must start it again. */
  | { readonly state: "asleep" | "starting" | "stopped" | "unreachable"; readonly worker: string };

/**
 * Places models, evicts the least recently used unpinned ones, stops and starts workers. Changes to
 * a worker hold its lock, as processes share a fleet.
 *
 * Methods throw errors of `errors.ts`. Model names are from `parseModelName`.
 */
export interface Fleet {
  /** Queries all engines once and records uses and sizes; `startObserver` repeats it. */
  observe(signal: AbortSignal): Promise<void>;
  /** Unloads idle models, except pinned and busy ones. Skips busy workers. */
  sweep(signal: AbortSignal): Promise<void>;
  /** Reloads models unloaded for idleness that requests wait for inside an engine. */
  wake(signal: AbortSignal): Promise<void>;
  /**
   * Omits unreachable workers.
   * @throws EngineUnavailable when all are unreachable.
   */
  models(signal: AbortSignal): Promise<readonly ModelReport[]>;
  /** State `absent` if no worker has it. */
  model(name: string, signal: AbortSignal): Promise<ModelReport>;
  /** @param seconds per engine, after which it counts as unreachable. @default 8 */
  workers(signal: AbortSignal, seconds?: number): Promise<readonly WorkerReport[]>;
  /**
   * Pulls a model to a worker and, unless `load` is false, loads it. Makes room first. Skips
   * complete models, even if outdated.
   *
   * Progress may fall when another layer becomes known: show the maximum.
   *
   * @returns the worker that has it.
   */
  pull(
    name: string,
    options: {
      readonly load: boolean;
      readonly worker?: string;
      readonly onProgress: (progress: PullProgress) => void;
      /** Called at the end: an abort of `signal` by it still counts. */
      readonly confirm?: () => Promise<void>;
    },
    signal: AbortSignal,
  ): Promise<string>;
  /**
   * Removes an incomplete model after a cancelled pull. Ollama keeps partial files, which count
   * against the disk, until a restart an hour later.
   */
  discard(name: string, signal: AbortSignal): Promise<void>;
  /**
   * Unloads the model on every worker, even if pinned.
   * @throws UnknownModel when no worker has it.
   */
  unload(name: string, signal: AbortSignal): Promise<void>;
  /**
   * Unloads and deletes the model on every worker.
   *
   * @param force also if pinned.
   * @throws UnknownModel when no worker has it, ModelPinned.
   */
  purge(name: string, options: { readonly force: boolean }, signal: AbortSignal): Promise<void>;
  /**
   * Drains the worker: refuses new work, waits for pulls, unloads models, scales to zero with the
   * target's last worker. Pauses the autoscaler.
   */
  stop(worker: string, signal: AbortSignal): Promise<void>;
  /** Reopens a worker whose stop was cancelled before it finished. */
  resume(worker: string, signal: AbortSignal): Promise<void>;
  /** Restores replicas, waits for the engine, reloads models. Also wakes a sleeping worker. */
  start(worker: string, signal: AbortSignal): Promise<void>;
  /** What the model still needs to answer, over all workers. */
  readiness(name: string, signal: AbortSignal): Promise<Readiness>;
  /**
   * Generates with a loaded model; errors are confidential, as in `Backend.generate`.
   *
   * @throws UnknownWorker if no longer configured.
   */
  generate(
    worker: string,
    name: string,
    request: Omit<GenerationRequest, "model">,
    signal: AbortSignal,
  ): AsyncIterable<GenerationEvent>;
}
