import { type EngineOptions, optionCatalogue } from "../../catalog/engine-options";
import options from "../../catalog/engine-options/ollama.json";
import rules from "../../catalog/engine-options/ollama-rules.json";

export const ollamaOptions = optionCatalogue(options as EngineOptions, rules);
