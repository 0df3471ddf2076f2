import { imageEntry } from "../../catalog/images";
import type { ModelPlan } from "../../planner/types";

/** Catalogue names of an engine's images, by what a pod computes on; an engine that lacks one cannot run there. */
export interface EngineImages {
  readonly nvidia?: string;
  readonly amd?: string;
  readonly cpu?: string;
}

const VERSION = /\d+\.\d+\.\d+/;

/**
 * The engine's image for a model: the catalogue's, or the same tag with another version where the plan asks for one
 * (its digest is then unknown).
 * @throws Error when the engine has no image for this kind of processor.
 */
export function engineImage(images: EngineImages, model: ModelPlan): string {
  const processor = model.gpuVendor ?? "cpu";
  const component = images[processor];
  if (component === undefined) {
    throw new Error(
      `models.${model.name}: ${model.engine} does not run on ${processor} here, only on ${Object.keys(images).join(", ")}: ` +
        "place it on another pool or choose another engine",
    );
  }
  const { repository, tag, digest } = imageEntry(component);
  const [pinned] = VERSION.exec(tag) ?? [];
  if (pinned !== undefined && pinned !== model.engineVersion) {
    return `${repository}:${tag.replace(VERSION, model.engineVersion)}`;
  }
  return digest === undefined ? `${repository}:${tag}` : `${repository}:${tag}@${digest}`;
}
