import { deadline } from "../deadline";
import type { SmokeArguments } from "./arguments";
import type { ControlApi } from "./control-api";
import type { Endpoint } from "./endpoint";
import type { HttpClient } from "./http";
import type { Lifecycle, ModelState } from "./lifecycle";

/** Results of health, for later steps. */
export interface Found {
  /** Undefined without an answer. */
  readonly endpoint?: Endpoint;
  /** Undefined if not given or unavailable. */
  readonly control?: ControlApi;
  /** Control API or Ollama; undefined for engines without such an API. */
  readonly lifecycle?: Lifecycle;
}

/** Context of a step. */
export interface StepContext extends Found {
  readonly args: SmokeArguments;
  /** For `--url`. */
  readonly inference: HttpClient;
  /** Name for pulls. */
  readonly model: string;
  /** Name in requests. */
  readonly servedModel: string;
  /** State before the first change; undefined if unknown. */
  readonly stateBefore?: ModelState;
  /** Chat path below `--url`. */
  readonly chatPath: string;
  readonly onProgress: (what: string) => void;
}

/** Aborts at a step's timeout. */
export function stepSignal({ timeoutSeconds }: Pick<SmokeArguments, "timeoutSeconds">): AbortSignal {
  return deadline(timeoutSeconds).signal;
}
