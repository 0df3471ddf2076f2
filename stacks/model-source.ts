/** Where the weights of a configured model come from. */
import { findModel, type ModelEntry } from "../catalog/models";
import { engineOf } from "../engines";
import { isMounted, parseSource, sourceText } from "../engines/sources";
import type { ModelSource } from "../planner/types";
import { buildOf, type ModelConfig } from "./config";

/** Weights of another repository than the one whose config.json the catalogue has. */
export function isElsewhere(source: ModelSource, { repository }: ModelEntry): boolean {
  return (
    source.kind === "bucket" ||
    source.kind === "artifact" ||
    isMounted(source) ||
    (source.kind === "huggingface" && source.repository !== repository)
  );
}

/** Where the bytes of a configured model come from: what it says, else the catalogue's own source for its engine. */
export function modelSource(name: string, config: ModelConfig): ModelSource {
  const entry = config.model === undefined ? undefined : findModel(config.model);
  const build = entry && buildOf(entry, config);
  const [own = "huggingface"] = engineOf(config.engine).sources;
  const text = config.source ?? (entry && sourceText(own, build?.tag ?? entry.repository));
  const source = text === undefined ? undefined : parseSource(text);
  if (source === undefined) {
    throw new Error(`model "${name}" has no source: validation should have refused it`);
  }
  return source;
}
