import { deadline } from "../deadline";
import type { SmokeArguments } from "./arguments";
import type { ControlApi } from "./control-api";
import type { Endpoint } from "./endpoint";
import type { HttpClient } from "./http";
import type { Lifecycle, ModelState } from "./lifecycle";

/** What health found out, and every later step uses. */
export interface Found {
  /** Undefined when nothing answers there. */
  readonly endpoint?: Endpoint;
  /** Undefined when none was given, or it is away. */
  readonly control?: ControlApi;
  /** Who pulls and unloads: the control API, else Ollama; undefined for an engine without such an API. */
  readonly lifecycle?: Lifecycle;
}

/** What a step works with. */
export interface StepContext extends Found {
  readonly args: SmokeArguments;
  /** Requests to `--url`. */
  readonly inference: HttpClient;
  /** The model as whoever pulls it names it. */
  readonly model: string;
  /** The model as requests name it. */
  readonly servedModel: string;
  /** Where the model was before the first step changed it; undefined when nobody could tell. */
  readonly stateBefore?: ModelState;
  /** Where requests of chats go, below `--url`. */
  readonly chatPath: string;
  readonly onProgress: (what: string) => void;
}

/** Aborts when a step has taken too long. */
export function stepSignal({ timeoutSeconds }: Pick<SmokeArguments, "timeoutSeconds">): AbortSignal {
  return deadline(timeoutSeconds).signal;
}
