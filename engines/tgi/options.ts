import { type EngineOptions, optionCatalogue } from "../../catalog/engine-options";
import options from "../../catalog/engine-options/tgi.json";
import rules from "../../catalog/engine-options/tgi-rules.json";
import releases from "../../catalog/engine-releases/tgi.json";

export const tgiOptions = optionCatalogue(options as EngineOptions, rules, releases);
