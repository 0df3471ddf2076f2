/** Engines by name: the only way to ask what one of them is or does. */
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

/** In the order in which people are told of them: the default first. */
export const engineNames = Object.keys(ENGINES) as unknown as readonly [EngineName, ...EngineName[]];

export function engineOf(name: EngineName): Engine {
  return ENGINES[name];
}

/** Engines that a model of this task, or with weights of this kind of source, can have. */
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

/** Flags and variables of an engine, and what the platform says of them. */
export function engineOptions(name: EngineName): EngineOptionCatalogue {
  return engineOf(name).options;
}

/** The engine's own block in the configuration of a model. */
export function settingsOf(name: EngineName): EngineSettings {
  return engineOf(name).settings ?? NO_SETTINGS;
}

/** Where a setting of a model on this engine is written, below the model: `contextTokens`, `vllm.tensorParallel`. */
export function settingPath(name: EngineName, key: string): string {
  return Object.hasOwn(settingsOf(name).schema.shape, key) ? `${name}.${key}` : key;
}

/** How a version of the engine is written. */
export function versionForm(name: EngineName): VersionForm {
  return engineOf(name).versionForm ?? SEMANTIC_VERSION;
}

const SEMANTIC_VERSION: VersionForm = {
  pattern: /^\d+\.\d+\.\d+([.-][\w.-]+)?$/,
  allowed: 'a full version in quotes, such as "0.33.0"',
  example: "0.33.0",
};

/** What the memory figure makes of flags. */
export function readFlags(name: EngineName, args: Readonly<Record<string, ArgumentValue>>): FlagReading {
  return engineOf(name).readFlags?.(args) ?? { counted: [], problems: [] };
}

/** Catalogue name of an engine's image; undefined where the engine does not run. */
export function engineImageName(name: EngineName, processor: Processor): string | undefined {
  return engineOf(name).images[processor];
}

/** The same for one model, whose own settings may ask for another image of its engine. */
export function modelImageName(
  model: { readonly engine: EngineName } & Pick<ServedModel, "engineSettings">,
  processor: Processor,
): string | undefined {
  const engine = engineOf(model.engine);
  return (engine.imagesFor?.(model) ?? engine.images)[processor];
}

/**
 * The same where a replica of the model spans nodes over a network: an image with a transport for that, where the engine has one.
 *
 * @param fabric undefined: the replica stays on its node, or its nodes talk TCP.
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

/** Processors that an engine has an image for. */
export function engineProcessors(name: EngineName): readonly string[] {
  return Object.keys(engineOf(name).images);
}

/** Version that the platform pins for a model: that of the image which its own settings ask for. */
export function modelEngineVersion(
  model: { readonly engine: EngineName } & Pick<ServedModel, "engineSettings">,
): string {
  const { imagesFor, images, versionOf } = engineOf(model.engine);
  const [image] = Object.values(imagesFor?.(model) ?? images);
  return image === undefined ? engineVersion(model.engine) : versionOf(imageEntry(image).tag);
}

/** Version of an engine that the platform pins: the version in its image's tag. */
export function engineVersion(name: EngineName): string {
  const { images, versionOf } = engineOf(name);
  const [image] = Object.values(images);
  if (image === undefined) {
    throw new Error(`engines/${name} names no image`);
  }
  return versionOf(imageEntry(image).tag);
}
