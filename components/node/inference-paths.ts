/** Engine paths by API and task. */
import { engineOf } from "../../engines";
import type { ModelTask } from "../../engines/served-model";
import type { ModelPlan } from "../../planner/types";
import { KSERVE_ACTIONS } from "./kserve-actions";

export interface EnginePath {
  readonly method: "GET" | "POST";
  readonly path: string;
}

export interface InferencePaths {
  /** Where `/infer` leads. */
  readonly infer: string;
  /** Engine paths forwarded unchanged. */
  readonly own: readonly EnginePath[];
}

/** OpenAI's API, with Cohere's rerank, as at the gateway (vLLM 0.33: entrypoints, `/v2/rerank`). */
const OPENAI: Readonly<Record<ModelTask, string>> = {
  chat: "/v1/chat/completions",
  completion: "/v1/completions",
  embedding: "/v1/embeddings",
  rerank: "/v2/rerank",
};

/**
 * Text uses `generate`: streaming models may answer more than once ("decoupled"), for which Triton
 * refuses `infer` over HTTP. `generate` takes text, not tensors. `generate_stream` answers with
 * SSE.
 */
const KSERVE_INFER: Readonly<Record<ModelTask, string>> = {
  chat: "/generate",
  completion: "/generate",
  embedding: "/infer",
  rerank: "/infer",
};

export function inferencePaths({
  engine,
  task,
  servedName,
}: Pick<ModelPlan, "engine" | "task" | "servedName">): InferencePaths {
  if (engineOf(engine).ports.openai !== undefined) {
    const path = OPENAI[task];
    return { infer: path, own: [{ method: "POST", path }] };
  }
  const model = `/v2/models/${servedName}`;
  return {
    infer: `${model}${KSERVE_INFER[task]}`,
    own: KSERVE_ACTIONS.map(({ method, path }) => ({ method, path: `${model}${path}` })),
  };
}
