import type { GenerationEvent, GenerationRequest } from "./generation";

/** The engines that the API drives. */
export const BACKENDS = ["ollama", "triton", "vllm"] as const;
/** Those that serve what they were started with, and must be told of by the configuration. */
export const STARTED_WITH_MODELS: readonly BackendKind[] = ["vllm"];
export type BackendKind = (typeof BACKENDS)[number];

/** Whether the configuration must name an engine's models. */
export function isToldItsModels(backend: string): boolean {
  return STARTED_WITH_MODELS.some((each) => each === backend);
}

/** A model as one engine knows it. */
export interface EngineModel {
  /** As `nameOf` gives it, tag included: `llama3.2:3b`. */
  readonly name: string;
  readonly loaded: boolean;
  /** Bytes on the engine's disk, where it tells. */
  readonly diskBytes?: number;
  /** Bytes in GPU memory (system memory on a CPU), where it tells and the model is loaded. */
  readonly memoryBytes?: number;
  /** Of `memoryBytes`, those on a GPU, where it tells. */
  readonly gpuBytes?: number;
  /** Another value whenever the engine has answered for the model since; undefined where it does not tell. */
  readonly useMark?: string;
  /** Whether requests for it run or wait now, where its listing tells. */
  readonly inUse?: boolean;
  /** When the engine itself drops it, unless it is used before; undefined where it never does. */
  readonly expiresAt?: Date;
  /** False where it is known that the engine cannot free its memory. */
  readonly canUnload?: boolean;
}

export interface EngineHealth {
  readonly version?: string;
  /** Whether it computes on a GPU; undefined when the engine does not tell (Ollama, before it loaded a model). */
  readonly gpu?: boolean;
}

export interface PullProgress {
  /** Bytes of all parts that are known by now: grows when the engine begins another part. Never falls. */
  readonly totalBytes: number;
  /** Never falls either; the share of the two may, when a part becomes known. */
  readonly completedBytes: number;
}

/**
 * One engine process. Every call rejects with the signal's reason when `signal` aborts.
 *
 * All methods throw `EngineUnavailable` when the engine cannot be reached, does not answer in time or has no capacity
 * (502, 503, 504), `UnknownModel` when it does not have the model, and `EngineRefusal` for what it refuses or fails at,
 * with its own words.
 */
export interface Backend {
  readonly kind: BackendKind;
  /** What the engine can do at run time. Calling what it cannot throws `NotSupported`, which says why. */
  readonly can: { readonly pull: boolean; readonly purge: boolean; readonly load: boolean };
  /** A spelling that the engine takes for what it has: two names are the same model when this is the same. */
  nameOf(model: string): string;
  health(signal: AbortSignal): Promise<EngineHealth>;
  models(signal: AbortSignal): Promise<readonly EngineModel[]>;
  /**
   * Fetches a model to the engine's disk. An interrupted pull goes on where it stopped.
   *
   * @param model as the registry spells it, not as `nameOf` does.
   */
  pull(model: string, onProgress: (progress: PullProgress) => void, signal: AbortSignal): Promise<void>;
  /** Brings a model from disk into memory; returns when it answers. */
  load(model: string, signal: AbortSignal): Promise<void>;
  /**
   * Frees the model's memory; returns when it is free. Does nothing for a model that is not loaded. One whose requests do not
   * end in time stays where the engine takes its word back (Ollama); elsewhere, and after an abort, it leaves when they end.
   */
  unload(model: string, signal: AbortSignal): Promise<void>;
  /**
   * Whether requests for a loaded model run or wait now, as well as the engine can be asked. It never makes a model leave.
   * False also where nobody can tell: the engine then ends its requests before it frees the memory.
   */
  inUse(model: string, signal: AbortSignal): Promise<boolean>;
  /** Models that are not loaded and that requests wait for inside the engine; not there where none can. */
  awaited?(signal: AbortSignal): Promise<readonly string[]>;
  /** Whether all of a listed model is there: without parts of it, it can be pulled again, and do nothing else. */
  has(model: string, signal: AbortSignal): Promise<boolean>;
  /** Deletes the model from disk. */
  purge(model: string, signal: AbortSignal): Promise<void>;
  /**
   * Has a loaded model write. Ends with an event `end`; leaving off earlier ends the engine's work as well. How long an
   * answer may be, and take, is for the caller to watch: an engine that does not keep to `maxTokens` is not stopped here.
   *
   * Besides the errors above: NotSupported for a model that cannot write from this input, with the reason. The words of an
   * engine may repeat the prompt: errors of this method are for nobody but the program.
   */
  generate(request: GenerationRequest, signal: AbortSignal): AsyncIterable<GenerationEvent>;
}
