import type { Backend, BackendKind } from "./backend";
import type { EngineTimeouts } from "./engine-timeouts";
import { OllamaBackend } from "./ollama";
import { TritonBackend } from "./triton";
import { VllmBackend } from "./vllm";

export interface BackendOptions {
  readonly url: string;
  /** See `VllmOptions`. */
  readonly models?: readonly string[];
  /** See `OllamaOptions`. */
  readonly insecureRegistries?: readonly string[];
  readonly timeouts?: Partial<EngineTimeouts>;
}

/** To add an engine, add a file in this folder and an entry here. */
const CREATE: Readonly<Record<BackendKind, (options: BackendOptions) => Backend>> = {
  ollama: ({ url, ...options }) => new OllamaBackend(url, options),
  triton: ({ url, ...options }) => new TritonBackend(url, options),
  vllm: ({ url, models = [], timeouts }) => new VllmBackend(url, { models, timeouts }),
};

export function createBackend(kind: BackendKind, options: BackendOptions): Backend {
  return CREATE[kind](options);
}
