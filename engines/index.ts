/** Engines by name: the only access to their facts. */
import type { EngineOptionCatalogue } from "../catalog/engine-options";
import type { FabricKind } from "../catalog/fabrics";
import { imageEntry } from "../catalog/images";
import { compareVersions } from "../names/versions";
import type { Engine, FlagReading, Processor, VersionForm } from "./engine";
import type { ArgumentValue, ModelTask, ServedModel } from "./served-model";
import { type EngineSettings, NO_SETTINGS } from "./settings";
import type { SourceKind } from "./sources";
import { ENGINES, type EngineName } from "./table";

export type { Engine, MetricMeaning, Processor, Protocol, SidecarResources, StatedFormat } from "./engine";
export type { EngineName } from "./table";

/** In display order: the default first. */
export const engineNames = Object.keys(ENGINES) as unknown as readonly [EngineName, ...EngineName[]];

export function engineOf(name: EngineName): Engine {
  return ENGINES[name];
}

export function enginesFor({
  task,
  source,
}: {
  readonly task?: ModelTask;
  readonly source?: SourceKind;
}): EngineName[] {
  return engineNames.filter((name) => {
    const { tasks, sources } = engineOf(name);
    return (task === undefined || tasks.includes(task)) && (source === undefined || sources.includes(source));
  });
}

/** Flags and variables of an engine, with rules. */
export function engineOptions(name: EngineName): EngineOptionCatalogue {
  return engineOf(name).options;
}

export function settingsOf(name: EngineName): EngineSettings {
  return engineOf(name).settings ?? NO_SETTINGS;
}

/**
 * Configuration path of an engine setting, below the model: `contextTokens`, `vllm.tensorParallel`.
 */
export function settingPath(name: EngineName, key: string): string {
  return Object.hasOwn(settingsOf(name).schema.shape, key) ? `${name}.${key}` : key;
}

export function versionForm(name: EngineName): VersionForm {
  return engineOf(name).versionForm ?? SEMANTIC_VERSION;
}

const SEMANTIC_VERSION: VersionForm = {
  pattern: /^\d+\.\d+\.\d+([.-][\w.-]+)?$/,
  allowed: 'a full version in quotes, such as "0.33.0"',
  example: "0.33.0",
};

export function readFlags(name: EngineName, args: Readonly<Record<string, ArgumentValue>>): FlagReading {
  return engineOf(name).readFlags?.(args) ?? { counted: [], problems: [] };
}

/** Catalogue name of an engine's image; undefined if it does not support the processor. */
export function engineImageName(name: EngineName, processor: Processor): string | undefined {
  return engineOf(name).images[processor];
}

/** Same for a model, whose settings may need another image. */
export function modelImageName(
  model: { readonly engine: EngineName } & Pick<ServedModel, "engineSettings">,
  processor: Processor,
): string | undefined {
  const engine = engineOf(model.engine);
  return (engine.imagesFor?.(model) ?? engine.images)[processor];
}

/**
 * Same for replicas that span nodes: an image with transport for the network, if any.
 *
 * @param fabric undefined: one node, or TCP between nodes.
 */
export function spanningImageName(
  model: { readonly engine: EngineName } & Pick<ServedModel, "engineSettings" | "engineVersion">,
  processor: Processor,
  fabric: FabricKind | undefined,
): string | undefined {
  const own = modelImageName(model, processor);
  const { images, fabricImages = {} } = engineOf(model.engine);
  const other = fabric && fabricImages[fabric];
  const isReplaced =
    other !== undefined &&
    processor === "nvidia" &&
    own === images.nvidia &&
    compareVersions(model.engineVersion, other.since) >= 0;
  return isReplaced ? other.image : own;
}

/** Processors for which an engine has an image. */
export function engineProcessors(name: EngineName): readonly string[] {
  return Object.keys(engineOf(name).images);
}

/** Pinned engine version of a model: that of its image. */
export function modelEngineVersion(
  model: { readonly engine: EngineName } & Pick<ServedModel, "engineSettings">,
): string {
  const { imagesFor, images, versionOf } = engineOf(model.engine);
  const [image] = Object.values(imagesFor?.(model) ?? images);
  return image === undefined ? engineVersion(model.engine) : versionOf(imageEntry(image).tag);
}

/** Pinned version of an engine: that in its image's tag. */
export function engineVersion(name: EngineName): string {
  const { images, versionOf } = engineOf(name);
  const [image] = Object.values(images);
  if (image === undefined) {
    throw new Error(`engines/${name} names no image`);
  }
  return versionOf(imageEntry(image).tag);
}
