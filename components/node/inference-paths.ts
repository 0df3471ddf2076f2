/** What a node asks its engine, by the engine's API and the model's task. */
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
  /** Paths of the engine's own that lead to it as they are. */
  readonly own: readonly EnginePath[];
}

/** OpenAI's API; rerank, which it lacks, is Cohere's, as the gateway writes it (vLLM 0.33: entrypoints, `/v2/rerank`). */
const OPENAI: Readonly<Record<ModelTask, string>> = {
  chat: "/v1/chat/completions",
  completion: "/v1/completions",
  embedding: "/v1/embeddings",
  rerank: "/v2/rerank",
};

/**
 * Text goes to `generate`: models that can stream answer more than once to a request ("decoupled"), and for those Triton refuses `infer` over HTTP.
 * `generate` takes text and not tensors. Streams have `generate_stream`, whose answer is SSE to whoever asks.
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
