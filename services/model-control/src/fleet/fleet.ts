import type { BackendKind, PullProgress } from "../backends/backend";
import type { GenerationEvent, GenerationRequest } from "../backends/generation";
import type { Leave } from "./idle";

/** Where a model is, over all workers: the furthest of them counts. */
export type ModelState = "absent" | "pulling" | "on_disk" | "loaded";

export interface ModelPlacement {
  readonly worker: string;
  readonly state: Exclude<ModelState, "absent">;
  readonly diskBytes?: number;
  readonly memoryBytes?: number;
  readonly lastUsed?: Date;
  /** Of a loaded model: when it leaves memory if nobody uses it until then, or why it stays. */
  readonly leave?: Leave;
}

export interface ModelReport {
  readonly model: string;
  readonly state: ModelState;
  /** Never unloaded or deleted to make room. */
  readonly pinned: boolean;
  readonly placements: readonly ModelPlacement[];
}

/** `asleep`: what scales it by demand has taken it away, and brings it back with the next request. */
export type WorkerState = "running" | "draining" | "stopped" | "starting" | "asleep" | "unreachable";

export interface WorkerReport {
  readonly name: string;
  readonly backend: BackendKind;
  readonly state: WorkerState;
  readonly version?: string;
  /** Undefined when the engine does not tell. */
  readonly gpu?: boolean;
  /** Budget and use in bytes; the budget is what the configuration grants. */
  readonly memory: { readonly budgetBytes: number; readonly usedBytes: number };
  readonly disk?: { readonly budgetBytes: number; readonly usedBytes: number };
  /** On its disk or in its memory, in the engine's spelling. */
  readonly models: readonly string[];
  /** Those of them in its memory. */
  readonly loaded: readonly string[];
  /** Why the engine could not be asked; its disk is then shown as it was last seen. */
  readonly problem?: string;
}

/** What a model needs before it can answer; the worker is the one that the need is about. */
export type Readiness =
  /** On these workers it can answer now. */
  | { readonly state: "ready"; readonly workers: readonly string[] }
  | { readonly state: "on_disk" | "pulling" | "absent" }
  /** `stopped`: by somebody who may, and who alone starts it again. */
  | { readonly state: "asleep" | "starting" | "stopped" | "unreachable"; readonly worker: string };

/**
 * All workers, and what is on them: it chooses the worker for a model, makes room there by unloading and deleting the
 * least recently used models that are not pinned, and stops and starts workers. Routes and tasks use nothing below it.
 * Several processes may work on the same fleet: what changes a worker happens under that worker's lock.
 *
 * Methods throw the errors of `errors.ts`. Model names have passed `parseModelName`.
 */
export interface Fleet {
  /** Asks all engines once and remembers what was used and what it takes: `startObserver` does it again and again. */
  observe(signal: AbortSignal): Promise<void>;
  /**
   * Frees the memory of models that nobody has used for their time: none that is pinned, and none in the middle of a
   * request. A worker that another operation works on is left for the next time.
   */
  sweep(signal: AbortSignal): Promise<void>;
  /** Loads models that left by themselves and that requests wait for inside an engine: nobody else knows of those. */
  wake(signal: AbortSignal): Promise<void>;
  /** @throws EngineUnavailable when not one worker could be asked; those that could not are left out otherwise. */
  models(signal: AbortSignal): Promise<readonly ModelReport[]>;
  /** State `absent` for a model that no worker has. */
  model(name: string, signal: AbortSignal): Promise<ModelReport>;
  /** @param seconds how long each engine may take; one that takes longer is unreachable. Default: 8. */
  workers(signal: AbortSignal, seconds?: number): Promise<readonly WorkerReport[]>;
  /**
   * Brings a model to a worker's disk and, unless `load` is false, into its memory. Room is made first; a model that is
   * there already costs nothing, and is not fetched again though its registry may have a newer one under the name; one of
   * which parts are missing is.
   *
   * The share of the progress falls when a further part of the model becomes known: show the highest so far.
   *
   * @returns the worker that has it.
   */
  pull(
    name: string,
    options: {
      readonly load: boolean;
      readonly worker?: string;
      readonly onProgress: (progress: PullProgress) => void;
      /** Asked when all is done: an interruption that it raises on `signal` still counts. */
      readonly confirm?: () => Promise<void>;
    },
    signal: AbortSignal,
  ): Promise<string>;
  /**
   * Ends what a cancelled pull left: a model that it had not finished is gone afterwards. Ollama keeps the parts that it
   * has, for the next pull of the model, until it starts again an hour later; they count against the worker's disk.
   */
  discard(name: string, signal: AbortSignal): Promise<void>;
  /** Frees the model's memory on every worker, also of a pinned one. @throws UnknownModel when no worker has it. */
  unload(name: string, signal: AbortSignal): Promise<void>;
  /**
   * Unloads and deletes it on every worker.
   *
   * @param force also where it is pinned.
   * @throws UnknownModel when no worker has it, ModelPinned.
   */
  purge(name: string, options: { readonly force: boolean }, signal: AbortSignal): Promise<void>;
  /**
   * Accepts no new work for the worker, waits for its pulls, unloads its models and scales it to zero. Workers with the
   * same scale target go to zero together, when the last of them stops. What scales the target by demand leaves it there.
   */
  stop(worker: string, signal: AbortSignal): Promise<void>;
  /** Lets a worker take new work again whose stop was cancelled before it had stopped. */
  resume(worker: string, signal: AbortSignal): Promise<void>;
  /** Scales the worker to what it was, waits until it answers, and loads what was loaded when it stopped. Wakes one that is asleep. */
  start(worker: string, signal: AbortSignal): Promise<void>;
  /** What is missing for the model to answer, all workers looked at. */
  readiness(name: string, signal: AbortSignal): Promise<Readiness>;
  /**
   * Has a model write that is loaded on the worker: see `Backend.generate`, which also says who may see its errors.
   *
   * @throws UnknownWorker for one that is not configured any more.
   */
  generate(
    worker: string,
    name: string,
    request: Omit<GenerationRequest, "model">,
    signal: AbortSignal,
  ): AsyncIterable<GenerationEvent>;
}
