import { type EngineOptions, optionCatalogue } from "../../catalog/engine-options";
import options from "../../catalog/engine-options/ollama.json";
import rules from "../../catalog/engine-options/ollama-rules.json";
import { releaseHas, spanOf, spanText } from "../../catalog/engine-releases";
import releases from "../../catalog/engine-releases/ollama.json";

export const ollamaOptions = optionCatalogue(options as EngineOptions, rules, releases);

export function ollamaReads(variable: string, version: string): boolean {
  return releaseHas(releases.environment, variable, version);
}

/** Variable for the planned context: without it Ollama truncates prompts at its default. */
const CONTEXT = "OLLAMA_CONTEXT_LENGTH";

export function ollamaVersionProblems(version: string): string[] {
  return ollamaReads(CONTEXT, version)
    ? []
    : [
        `Ollama ${version} reads no ${CONTEXT}, which sets the planned context: take ${spanText(spanOf(releases.environment, CONTEXT) ?? {})}`,
      ];
}
