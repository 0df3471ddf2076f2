import type { ModelEntry, OllamaBuild } from "../../catalog/models";
import type { ModelConfig } from "./schema";

/**
 * The catalogue's Ollama build that a model means: the one that its source or its quantization names, else the first.
 * Undefined where the catalogue knows no such build.
 */
export function ollamaBuildOf(
  { ollama = [] }: ModelEntry,
  { source, quantization }: Pick<ModelConfig, "source" | "quantization">,
): OllamaBuild | undefined {
  if (source !== undefined) {
    return ollama.find(({ tag }) => `ollama://${tag}` === source);
  }
  return quantization === undefined
    ? ollama[0]
    : ollama.find((build) => build.quantization.toLowerCase() === quantization.toLowerCase());
}
