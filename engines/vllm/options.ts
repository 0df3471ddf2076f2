import { type EngineArgument, type EngineOptions, optionCatalogue } from "../../catalog/engine-options";
import options from "../../catalog/engine-options/vllm.json";
import rules from "../../catalog/engine-options/vllm-rules.json";

export const vllmOptions = optionCatalogue(options as EngineOptions, rules);

/** A flag of vLLM by its name without dashes; undefined where the pinned version has none. */
export function vllmArgument(name: string): EngineArgument | undefined {
  return vllmOptions.argumentNamed.get(name);
}
