/** What tests ask of a family: its default configuration read, one tensor, the caches of its layers. */
import { layerCaches } from "../../../../planner/memory/kv-cache";
import type { ModelArchitecture } from "../../../../planner/model/architecture";
import { readModelConfig } from "../../../../planner/model/config-json";
import { type ModelTensor, tensorInventory } from "../../../../planner/model/tensors";
import { families } from "./compare";

/** The default configuration of transformers with some keys changed. */
export function read(modelType: string, changes: Readonly<Record<string, unknown>> = {}): ModelArchitecture {
  const family = families.find((each) => each.modelType === modelType);
  if (family === undefined) {
    throw new Error(`no family ${modelType}`);
  }
  return readModelConfig({ ...family.config, dtype: "bfloat16", ...changes });
}

/** @throws Error when the model has no such tensor */
export function tensor(architecture: ModelArchitecture, module: string): ModelTensor {
  const found = tensorInventory(architecture).find((each) => each.module === module);
  if (found === undefined) {
    throw new Error(`no ${module}`);
  }
  return found;
}

/** Bytes per token of each kind of layer on one of `tensorParallel` GPUs, and how many layers are of it. */
export function caches(architecture: ModelArchitecture, tensorParallel = 1): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { bytesPerToken, scope } of layerCaches(architecture, "bfloat16", tensorParallel)) {
    const window = "windowTokens" in scope ? ` ${scope.windowTokens}` : "";
    const key = `${scope.kind}${window}: ${bytesPerToken}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}
