import { withDigest } from "../../catalog/image-digests";
import { imageEntry } from "../../catalog/images";
import { engineOf, engineProcessors, spanningImageName } from "../../engines";
import { compareVersions } from "../../names/versions";
import type { ModelPlan } from "../../planner/types";

/**
 * The user's image, else the catalogue's, in the planned version.
 * @throws Error without an image for this architecture.
 */
export function engineImage(model: ModelPlan): string {
  if (model.image) {
    return withDigest(model.image.reference);
  }
  const processor = model.gpuVendor ?? "cpu";
  const { transport = "tcp" } = model.nodeLink ?? {};
  const component = spanningImageName(model, processor, transport === "tcp" ? undefined : transport);
  if (component === undefined) {
    throw new Error(
      `models.${model.name}: ${model.engine} does not run on ${processor} here, only on ${engineProcessors(model.engine).join(", ")}: ` +
        "place it on another pool or choose another engine",
    );
  }
  const { repository, tag, tagSuffix } = imageEntry(component);
  const pinned = engineOf(model.engine).versionOf(tag);
  if (pinned !== model.engineVersion) {
    const isBefore = tagSuffix !== undefined && compareVersions(model.engineVersion, tagSuffix.since) < 0;
    const form = isBefore ? tag.slice(0, -tagSuffix.text.length) : tag;
    return withDigest(`${repository}:${form.replace(pinned, model.engineVersion)}`);
  }
  return withDigest(`${repository}:${tag}`);
}
