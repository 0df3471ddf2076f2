import type { ModelTask } from "../../planner/types";

/** The AI gateway's path for each task: OpenAI's, and Cohere's for rerank, because OpenAI has none. */
export const TASK_PATHS: Readonly<Record<ModelTask, string>> = {
  chat: "/v1/chat/completions",
  completion: "/v1/completions",
  embedding: "/v1/embeddings",
  rerank: "/cohere/v2/rerank",
};
