import type { MostAtOnce } from "../engine";
import type { ServedModel } from "../served-model";
import table from "./parallel.json";

/** One request at a time for embeddings, and for families whose state llama.cpp keeps only once. */
export function ollamaMostAtOnce({
  task,
  architecture: { family },
}: Pick<ServedModel, "task" | "architecture">): MostAtOnce | undefined {
  const isEmbedding = table.tasks.includes(task);
  if (!isEmbedding && !table.families.includes(family)) {
    return undefined;
  }
  return {
    requests: 1,
    reason: `Ollama loads ${isEmbedding ? "embedding models" : `models of the family ${family}`} with parallel=1 (read in ${table.version})`,
    remedy: "engine: vllm, or more replicas",
  };
}
