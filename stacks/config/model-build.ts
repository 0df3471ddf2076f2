import type { ModelBuild, ModelEntry } from "../../catalog/models";
import { type EngineName, engineOf } from "../../engines";
import { sourceText } from "../../engines/sources";
import type { ModelConfig } from "./schema";

/** Builds of a catalogue model in an engine's own registry; none for engines that have none. */
export function buildsOf({ builds = {} }: ModelEntry, engine: EngineName): readonly ModelBuild[] {
  return Object.hasOwn(builds, engine) ? (builds[engine] ?? []) : [];
}

/**
 * The catalogue's build that a model means: the one that its source or its quantization names, else the first.
 * Undefined where the catalogue knows no such build.
 */
export function buildOf(
  entry: ModelEntry,
  { engine, source, quantization }: Pick<ModelConfig, "engine" | "source" | "quantization">,
): ModelBuild | undefined {
  const builds = buildsOf(entry, engine);
  if (source !== undefined) {
    return builds.find(({ tag }) => engineOf(engine).sources.some((kind) => sourceText(kind, tag) === source));
  }
  return quantization === undefined
    ? builds[0]
    : builds.find((build) => build.quantization.toLowerCase() === quantization.toLowerCase());
}
