import type { ModelBuild, ModelEntry } from "../../catalog/models";
import { type EngineName, engineOf } from "../../engines";
import { sourceText } from "../../engines/sources";
import type { ModelConfig } from "./schema";

/** A catalogue model's builds in an engine's registry; empty without one. */
export function buildsOf({ builds = {} }: ModelEntry, engine: EngineName): readonly ModelBuild[] {
  return Object.hasOwn(builds, engine) ? (builds[engine] ?? []) : [];
}

/** By source or quantization, else the first. Undefined for builds outside the catalogue. */
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
