import { type EngineOptions, optionCatalogue } from "../../catalog/engine-options";
import options from "../../catalog/engine-options/triton.json";
import rules from "../../catalog/engine-options/triton-rules.json";

export const tritonOptions = optionCatalogue(options as EngineOptions, rules);
