import { type EngineArgument, type EngineOptions, optionCatalogue } from "../../catalog/engine-options";
import options from "../../catalog/engine-options/vllm.json";
import rules from "../../catalog/engine-options/vllm-rules.json";
import { vllmReleases } from "./releases";

export const vllmOptions = optionCatalogue(options as EngineOptions, rules, vllmReleases);

/** Undefined if the pinned version lacks it. */
export function vllmArgument(name: string): EngineArgument | undefined {
  return vllmOptions.argumentNamed.get(name);
}
