import { type EngineOptions, optionCatalogue } from "../../catalog/engine-options";
import options from "../../catalog/engine-options/triton.json";
import rules from "../../catalog/engine-options/triton-rules.json";
import releases from "../../catalog/engine-releases/triton.json";

export const tritonOptions = optionCatalogue(options as EngineOptions, rules, releases);
