import type { GenerationEvent, GenerationRequest } from "./generation";

/** Supported engines. */
export const BACKENDS = ["ollama", "triton", "vllm"] as const;
/** Engines with models fixed at startup, which the configuration must list. */
export const STARTED_WITH_MODELS: readonly BackendKind[] = ["vllm"];
export type BackendKind = (typeof BACKENDS)[number];

/** Whether the configuration must list the engine's models. */
export function isToldItsModels(backend: string): boolean {
  return STARTED_WITH_MODELS.some((each) => each === backend);
}

export interface EngineModel {
  /** Spelled as by `nameOf`, with tag: `llama3.2:3b`. */
  readonly name: string;
  readonly loaded: boolean;
  /** Bytes on disk, if reported. */
  readonly diskBytes?: number;
  /** Bytes in GPU memory (system memory on a CPU), if loaded and reported. */
  readonly memoryBytes?: number;
  /** Share of `memoryBytes` on GPUs, if reported. */
  readonly gpuBytes?: number;
  /** Changes after every answer of the model; undefined if not reported. */
  readonly useMark?: string;
  /** Whether requests for it run or wait, if its listing reports so. */
  readonly inUse?: boolean;
  /** When the engine unloads it if idle; undefined for never. */
  readonly expiresAt?: Date;
  /** False if the engine cannot unload it. */
  readonly canUnload?: boolean;
}

export interface EngineHealth {
  readonly version?: string;
  /** Whether it computes on a GPU; undefined if unknown (Ollama, before its first load). */
  readonly gpu?: boolean;
}

export interface PullProgress {
  /** Bytes of all known layers; grows when another layer starts. Never falls. */
  readonly totalBytes: number;
  /** Never falls, though its share of the total may. */
  readonly completedBytes: number;
}

/**
 * One engine process. Calls reject with the signal's reason on abort.
 *
 * Methods throw `EngineUnavailable` when the engine is unreachable, too slow or out of capacity
 * (502, 503, 504), `UnknownModel` for a missing model, and `EngineRefusal` with the engine's
 * message for other failures.
 */
export interface Backend {
  readonly kind: BackendKind;
  /** Run-time capabilities. Unsupported calls throw `NotSupported` with the reason. */
  readonly can: { readonly pull: boolean; readonly purge: boolean; readonly load: boolean };
  /** Canonical spelling on the engine: equal results are the same model. */
  nameOf(model: string): string;
  health(signal: AbortSignal): Promise<EngineHealth>;
  models(signal: AbortSignal): Promise<readonly EngineModel[]>;
  /**
   * Downloads a model to disk, resuming an interrupted pull.
   *
   * @param model in the registry's spelling, not that of `nameOf`.
   */
  pull(model: string, onProgress: (progress: PullProgress) => void, signal: AbortSignal): Promise<void>;
  /** Loads a model from disk into memory; returns when it can answer. */
  load(model: string, signal: AbortSignal): Promise<void>;
  /**
   * Unloads the model and waits until memory is free; no-op if not loaded. If requests outlast the
   * timeout, Ollama keeps the model; other engines unload it later, also after an abort.
   */
  unload(model: string, signal: AbortSignal): Promise<void>;
  /**
   * Whether requests for a loaded model run or wait, as far as known; never unloads it. False if
   * unknown: such engines finish requests before unloading.
   */
  inUse(model: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Unloaded models with requests waiting inside the engine; absent if requests cannot wait there.
   */
  awaited?(signal: AbortSignal): Promise<readonly string[]>;
  /** Whether a listed model is complete: an incomplete one can only be pulled again. */
  has(model: string, signal: AbortSignal): Promise<boolean>;
  /** Deletes the model from disk. */
  purge(model: string, signal: AbortSignal): Promise<void>;
  /**
   * Generates text with a loaded model. The last event is `end`; stopping early cancels the
   * engine's work. The caller enforces limits, as engines may ignore `maxTokens`.
   *
   * Also throws NotSupported for a model that cannot generate from this input. Errors may repeat
   * the prompt: never expose them.
   */
  generate(request: GenerationRequest, signal: AbortSignal): AsyncIterable<GenerationEvent>;
}
