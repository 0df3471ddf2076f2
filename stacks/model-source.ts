/** Where the weights of a configured model come from. */
import { findModel, type ModelEntry } from "../catalog/models";
import { engineOf } from "../engines";
import { isClaim, parseSource, sourceText, splitBucketUri } from "../engines/sources";
import type { ModelSource } from "../planner/types";
import { buildOf, type EnvironmentConfig, type ModelConfig, storeBucket } from "./config";

/** A prefix of another of these buckets than the store's is copied into the store; any other bucket is the store's own. */
export function copiedSource(
  source: ModelSource,
  storage: Pick<EnvironmentConfig["storage"], "backend" | "bucket" | "buckets">,
): ModelSource {
  if (source.kind !== "bucket") {
    return source;
  }
  const { bucket } = splitBucketUri(source.uri);
  return bucket !== storeBucket(storage) && Object.hasOwn(storage.buckets, bucket)
    ? { ...source, copied: true }
    : source;
}

/** Weights of another repository than the one whose config.json the catalogue has. */
export function isElsewhere(source: ModelSource, { repository }: ModelEntry): boolean {
  return (
    source.kind === "bucket" ||
    source.kind === "artifact" ||
    isClaim(source) ||
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
